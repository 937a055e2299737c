import { leadCreated, leadDeleted } from '@tandem/crm-contract';
import { createIdCodec } from '@tandem/ids';
import { recoveries } from '@tandem/integrations-contract';
import { everyOperation, until } from '@tandem/testing';
import {
  type Api,
  aWebhook,
  closingReceivers,
  emitted,
  type Integrations,
  inStatus,
  leadData,
  publish,
  startIntegrations,
} from '../../testing.ts';

let service: Integrations;
beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service.close());
const receiver = closingReceivers();

everyOperation(recoveries, () => service as never);

const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);
const since = () => new Date(Date.now() - 3_600_000).toISOString();

/** A tenant with stored events, which no webhook received. */
async function storedEvents(count: number): Promise<Api> {
  const api = service.as();
  for (let number = 1; number <= count; number++) await publish(service, leadCreated, api.caller, leadData(number));
  await until('the events are stored', async () => (await api.listEvents()).data.length === count);
  return api;
}

async function replayed(api: Api, id: string, body: object = {}) {
  const { status, data } = await api.replayWebhook({ params: { id }, body: { since: since(), ...body } });
  expect([status, data.status]).toEqual([202, 'queued']);
  const job = await until('the replay is completed', async () => {
    const found = (await api.getJob({ params: { id: data.jobId } })).data;
    return found.status === 'completed' && found;
  });
  return { matched: data.matched, job };
}

const deliveries = async (api: Api, id: string) =>
  (await api.listDeliveries({ params: { id }, query: { sort: 'createdAt', limit: '100' } })).data;

describe('a replay', () => {
  it('sends the events from before the webhook existed once, with their ids and bodies, in their order', async () => {
    const api = await storedEvents(3);
    const hook = await receiver(200);
    const id = await aWebhook(api, hook.url);
    const { matched, job } = await replayed(api, id);
    expect([matched, job.kind, job.progress]).toEqual([3, 'webhook_replay', { done: 3, total: 3 }]);
    await until('all are sent', () => hook.requests.length === 3);
    const sent = hook.requests.map(({ body }) => JSON.parse(body.toString()).id).sort();
    expect(sent).toEqual(
      (await api.listEvents()).data
        .map((event: { id: string }) => ids.encode('event', api.caller.tenantId as number, Number(event.id)))
        .sort(),
    );
    await inStatus(api, id, 'succeeded', 2);
    const event = await emitted(service, 'webhook.replay_requested', id);
    expect(event.data).toMatchObject({ matched: 3, events: null, until: null });
    expect((await replayed(api, id)).matched).toBe(0);
    expect([(await deliveries(api, id)).length, hook.requests.length]).toEqual([3, 3]);
  });

  it('sends only what the webhook subscribes to, the request names and the period contains', async () => {
    const api = await storedEvents(2);
    await publish(service, leadDeleted, api.caller, { leadId: '1' });
    await until('the deletion is stored', async () => (await api.listEvents()).data.length === 3);
    const hook = await receiver(200);
    const narrow = await aWebhook(api, hook.url, { events: ['lead.deleted'] });
    expect((await replayed(api, narrow)).matched).toBe(1);
    const wide = await aWebhook(api, hook.url, { events: ['lead.*'] });
    expect((await replayed(api, wide, { until: since() })).matched).toBe(0);
    expect((await replayed(api, wide, { events: ['lead.created'] })).matched).toBe(2);
    expect((await replayed(api, wide)).matched).toBe(1);
    const names = (await deliveries(api, wide)).map(({ event }: { event: string }) => event).sort();
    expect(names).toEqual(['lead.created', 'lead.created', 'lead.deleted']);
  });

  it('sends what was skipped without an attempt, and not what has failed or succeeded', async () => {
    const api = service.as();
    const hook = await receiver(500, 500, 500, 200);
    const id = await aWebhook(api, hook.url);
    await publish(service, leadCreated, api.caller, leadData(1));
    await inStatus(api, id, 'failed');
    await api.updateWebhook({ params: { id }, body: { active: false } });
    await publish(service, leadCreated, api.caller, leadData(2));
    await inStatus(api, id, 'skipped', 1);
    const refused = await api.replayWebhook({ params: { id }, body: { since: since() } });
    expect([refused.status, refused.body.code]).toEqual([409, 'webhook_inactive']);
    await api.updateWebhook({ params: { id }, body: { active: true } });
    expect((await replayed(api, id)).matched).toBe(1);
    await inStatus(api, id, 'succeeded', 1);
    await inStatus(api, id, 'failed');
  });

  it('creates one delivery for each event when two run at once', async () => {
    const api = await storedEvents(5);
    const hook = await receiver(200);
    const id = await aWebhook(api, hook.url);
    const both = await Promise.all([replayed(api, id), replayed(api, id)]);
    expect(both[0].job.progress.done + both[1].job.progress.done).toBe(5);
    expect((await deliveries(api, id)).length).toBe(5);
    await inStatus(api, id, 'succeeded', 4);
    expect(hook.requests.length).toBe(5);
  });

  it('of thousands of events with the same time continues after each batch', async () => {
    const api = await storedEvents(1);
    await service.sqlWithin(
      api.caller,
      `INSERT INTO event (type, body, created_at) SELECT type, body, created_at FROM event, generate_series(1, 1200)`,
    );
    // The receiver never answers, so that no delivery ends meanwhile.
    const hook = await receiver(() => {});
    const id = await aWebhook(api, hook.url, { rateLimitPerSecond: 1 });
    const { matched, job } = await replayed(api, id);
    expect([matched, job.progress]).toEqual([1201, { done: 1201, total: 1201 }]);
    const [count] = await service.sqlWithin(
      api.caller,
      'SELECT count(*)::int AS all, count(DISTINCT event_id)::int AS events FROM delivery',
    );
    expect(count).toEqual({ all: 1201, events: 1201 });
  });
});

it.each([
  ['an unknown event', { events: ['lead.exploded'] }, 'events.0'],
  ['an event that the webhook does not subscribe to', { events: ['lead.created', 'task.created'] }, 'events.1'],
  ['a pattern that is wider than the subscription', { events: ['lead.*'] }, 'events.0'],
  ['no events', { events: [] }, 'events'],
  ['a period that ends before it begins', { until: '2020-01-01T00:00:00.000Z' }, 'until'],
  ['no beginning', { since: undefined }, 'since'],
])('rejects %s, naming the field', async (_, body, field) => {
  const api = service.as();
  const id = await aWebhook(api, 'http://127.0.0.1:9/hook', { events: ['lead.created'] });
  const reply = await api.replayWebhook({ params: { id }, body: { since: since(), ...body } });
  expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
});
