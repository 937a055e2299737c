import { leadCreated } from '@tandem/crm-contract';
import {
  type Api,
  aWebhook,
  deliveryAt,
  type Integrations,
  inStatus,
  leadData,
  publish,
  type Receiver,
  receiver,
  startIntegrations,
} from '../../testing.ts';

let service: Integrations;
let hook: Receiver;
beforeAll(async () => {
  service = await startIntegrations();
  hook = await receiver(200);
});
afterAll(async () => {
  await service.close();
  await hook.close();
});

/** Moves all records of a tenant into the past. */
async function age({ caller }: Api, days: number): Promise<void> {
  const columns = {
    event: ['stored_at', 'created_at'],
    attempt: ['started_at'],
    delivery: ['created_at', 'completed_at'],
  };
  for (const [table, times] of Object.entries(columns)) {
    await service.sql(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    const set = times.map((time) => `${time} = ${time} - make_interval(days => $2)`).join(', ');
    await service.sql(`UPDATE ${table} SET ${set} WHERE tenant_id = $1`, [caller.tenantId, days]);
    await service.sql(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
  }
}

async function aDelivery() {
  const api = service.as();
  const id = await aWebhook(api, hook.url);
  await publish(service, leadCreated, api.caller, leadData());
  const { id: deliveryId } = await inStatus(api, id, 'succeeded');
  return { api, id, params: { id, deliveryId } };
}

it('keeps payloads and attempts for 30 days, then only the delivery', async () => {
  const [before, after] = [await aDelivery(), await aDelivery()];
  await age(before.api, 29);
  await age(after.api, 31);
  await service.housekeep();
  const kept = (await before.api.getDelivery({ params: before.params })).data;
  expect(kept.payload).toMatchObject({ type: 'lead.created' });
  expect(kept.attempts).toHaveLength(1);
  expect((await before.api.listEvents()).data).toHaveLength(1);
  const left = await after.api.getDelivery({ params: after.params });
  expect(left.status).toBe(200);
  expect(left.data).toMatchObject({ status: 'succeeded', lastStatusCode: 200, attemptCount: 1 });
  expect([left.data.payload, left.data.rawBody, left.data.attempts]).toEqual([null, null, []]);
  expect((await after.api.listDeliveries({ params: { id: after.id } })).data).toHaveLength(1);
  expect((await after.api.listEvents()).data).toEqual([]);
});

it('removes a delivery after 90 days', async () => {
  const [before, after] = [await aDelivery(), await aDelivery()];
  await age(before.api, 89);
  await age(after.api, 91);
  await service.housekeep();
  expect((await before.api.getDelivery({ params: before.params })).status).toBe(200);
  expect((await after.api.getDelivery({ params: after.params })).status).toBe(404);
  expect((await after.api.getWebhook({ params: { id: after.id } })).status).toBe(200);
});

it('rejects a manual retry of a delivery whose payload was purged', async () => {
  const { api, params } = await aDelivery();
  await age(api, 31);
  await service.housekeep();
  const reply = await api.retryDelivery({ params });
  expect([reply.status, reply.body.code]).toEqual([409, 'payload_gone']);
});

it('recovers only deliveries that still have a payload', async () => {
  const api = service.as();
  const id = await aWebhook(api, hook.url, { active: false });
  await publish(service, leadCreated, api.caller, leadData(1));
  await inStatus(api, id, 'skipped');
  await age(api, 31);
  await publish(service, leadCreated, api.caller, leadData(2));
  await inStatus(api, id, 'skipped', 1);
  await service.housekeep();
  await api.updateWebhook({ params: { id }, body: { active: true } });
  const since = new Date(Date.now() - 60 * 86_400_000).toISOString();
  expect((await api.recoverWebhook({ params: { id }, body: { since } })).data.matched).toBe(1);
  await inStatus(api, id, 'succeeded', 1);
  expect((await deliveryAt(api, id)).status).toBe('skipped');
});

it('skips a delivery whose payload was purged before its next attempt', async () => {
  const api = service.as();
  const busy = await receiver((_, response) => response.writeHead(503, { 'Retry-After': '600' }).end());
  const id = await aWebhook(api, busy.url);
  await publish(service, leadCreated, api.caller, leadData());
  const { id: deliveryId } = await inStatus(api, id, 'retrying');
  await age(api, 31);
  await service.housekeep();
  await service.sql('ALTER TABLE platform.job NO FORCE ROW LEVEL SECURITY');
  await service.sql(`UPDATE platform.job SET due_at = now() WHERE payload->>'deliveryId' = $1`, [deliveryId]);
  expect((await inStatus(api, id, 'skipped')).nextAttemptAt).toBeNull();
  expect(busy.requests).toHaveLength(1);
  await busy.close();
});

it('removes more rows than one batch in a single run', async () => {
  const { api } = await aDelivery();
  const { tenantId } = api.caller;
  await service.sql('ALTER TABLE event NO FORCE ROW LEVEL SECURITY');
  await service.sql(
    `INSERT INTO event (tenant_id, environment, type, body, created_at, stored_at)
     SELECT $1, 'live', 'lead.created', '{}', now(), now() - interval '31 days' - make_interval(secs => n) FROM generate_series(1, 12000) n`,
    [tenantId],
  );
  await service.sql('ALTER TABLE event FORCE ROW LEVEL SECURITY');
  await service.housekeep();
  expect((await api.listEvents()).body.pagination?.total).toBe(1);
});
