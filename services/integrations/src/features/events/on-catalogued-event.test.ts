import { leadCreated, leadUpdated } from '@tandem/crm-contract';
import { createIdCodec } from '@tandem/ids';
import { storedEvents } from '@tandem/integrations-contract';
import { everyOperation, until } from '@tandem/testing';
import { type Integrations, leadData, publish, receiver, startIntegrations } from '../../testing.ts';

let service: Integrations;
const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);

beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service.close());

everyOperation(storedEvents, () => service as never);

const eventsOf = async (api: ReturnType<Integrations['as']>, count: number) =>
  until(`${count} events are stored`, async () => {
    const { data } = await api.listEvents({ query: { sort: 'id' } });
    return data.length >= count ? data : undefined;
  });

it('stores an event as its envelope, with public ids', async () => {
  const api = service.as();
  await publish(service, leadUpdated, api.caller, {
    leadId: '7',
    changes: { assignedTo: '3', customFields: { leadId: '7' } },
  });
  const [event] = await eventsOf(api, 1);
  const { tenantId } = api.caller as { tenantId: number };
  expect(event).toEqual({
    id: expect.stringMatching(/^\d+$/),
    type: 'lead.updated',
    createdAt: expect.any(String),
    data: {
      leadId: ids.encode('lead', tenantId, 7),
      changes: { assignedTo: ids.encode('user', tenantId, 3), customFields: { leadId: '7' } },
    },
  });
  const one = await api.getEvent({ params: { eventId: event.id } });
  expect(one.data).toEqual(event);
});

it('stores and delivers a duplicate event once', async () => {
  const api = service.as();
  const hook = await receiver(200);
  await api.createWebhook({ body: { url: hook.url, events: ['lead.created'] } });
  const id = await publish(service, leadCreated, api.caller, leadData());
  await publish(service, leadCreated, api.caller, leadData(), id);
  await publish(service, leadCreated, api.caller, leadData(8));
  await until('two deliveries have arrived', () => hook.requests.length >= 2);
  expect((await api.listEvents()).data).toHaveLength(2);
  expect(hook.requests).toHaveLength(2);
  await hook.close();
});

it('dead-letters a malformed event and continues with the next', async () => {
  const api = service.as();
  await publish(service, leadCreated, api.caller, { leadId: 'not a number' });
  await service.publish('lead.created', Buffer.from('{'), 'broken');
  await publish(service, leadCreated, api.caller, leadData());
  expect(await eventsOf(api, 1)).toHaveLength(1);
});

it('creates one delivery for each matching subscription of the same tenant and environment', async () => {
  const api = service.as();
  const other = service.as();
  const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
  const hook = await receiver(200);
  const covering = [];
  for (const events of [['lead.created'], ['lead.*'], ['*'], ['lead.updated', '*']]) {
    covering.push((await api.createWebhook({ body: { url: hook.url, events } })).data.id);
  }
  const idle = await api.createWebhook({ body: { url: hook.url, events: ['lead.updated', 'opportunity.*'] } });
  const foreign = await other.createWebhook({ body: { url: hook.url, events: ['*'] } });
  const apart = await sandbox.createWebhook({ body: { url: hook.url, events: ['*'] } });
  await publish(service, leadCreated, api.caller, leadData());
  await until('four deliveries have arrived', () => hook.requests.length >= 4);
  for (const id of covering) expect((await api.listDeliveries({ params: { id } })).data).toHaveLength(1);
  expect((await api.listDeliveries({ params: { id: idle.data.id } })).data).toHaveLength(0);
  expect((await other.listDeliveries({ params: { id: foreign.data.id } })).data).toHaveLength(0);
  expect((await sandbox.listDeliveries({ params: { id: apart.data.id } })).data).toHaveLength(0);
  expect((await other.getDelivery({ params: { id: covering[0], deliveryId: '1' } })).status).toBe(404);
  await hook.close();
});

it('stores skipped deliveries for an inactive subscription', async () => {
  const api = service.as();
  const { data } = await api.createWebhook({ body: { url: 'http://127.0.0.1:9/', events: ['*'], active: false } });
  await publish(service, leadCreated, api.caller, leadData());
  const [delivery] = await until('the delivery is there', async () => {
    const page = await api.listDeliveries({ params: { id: data.id } });
    return page.data.length ? page.data : undefined;
  });
  expect(delivery).toMatchObject({ status: 'skipped', attemptCount: 0, event: 'lead.created' });
});

it('makes events of a tenant visible in id order, so that polling by the last id misses none', async () => {
  const api = service.as();
  await Promise.all(
    Array.from({ length: 120 }, (_, index) => publish(service, leadCreated, api.caller, leadData(index + 1))),
  );
  await until(
    'all are stored',
    async () => (await api.listEvents({ query: { limit: '1' } })).body.pagination?.total === 120,
  );
  const seen: string[] = [];
  for (let after: string | undefined; ; after = seen.at(-1)) {
    const { data } = await api.listEvents({ query: { sort: 'id', limit: '50', ...(after && { after }) } });
    if (!data.length) break;
    seen.push(...data.map((event: { id: string }) => event.id));
  }
  expect(new Set(seen).size).toBe(120);
  expect(seen.map(Number)).toEqual(seen.map(Number).sort((a, b) => a - b));
});
