import { leadCreated } from '@tandem/crm-contract';
import { webhookStats } from '@tandem/integrations-contract';
import { everyOperation } from '@tandem/testing';
import {
  aWebhook,
  closingReceivers,
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

everyOperation(webhookStats, () => service as never);

it('counts the deliveries of one webhook by status, and measures their attempts', async () => {
  const api = service.as();
  const [accepting, refusing] = [await receiver(200), await receiver(500)];
  const [good, bad] = [await aWebhook(api, accepting.url), await aWebhook(api, refusing.url)];
  for (const number of [1, 2, 3]) await publish(service, leadCreated, api.caller, leadData(number));
  for (const index of [0, 1, 2]) {
    await inStatus(api, good, 'succeeded', index);
    await inStatus(api, bad, 'failed', index);
  }
  const { status, data } = await api.getWebhookStats({ params: { id: good } });
  expect(status).toBe(200);
  expect(data).toMatchObject({
    deliveries: { total: 3, succeeded: 3, failed: 0, pending: 0, delivering: 0, retrying: 0, skipped: 0, cancelled: 0 },
    successRate: 1,
    attempts: { measured: 3, succeeded: 3 },
  });
  const failing = (await api.getWebhookStats({ params: { id: bad } })).data;
  expect([failing.deliveries.failed, failing.successRate]).toEqual([3, 0]);
  expect([failing.attempts.measured, failing.attempts.succeeded]).toEqual([9, 0]);
});

it('calculates percentiles of the attempts that started in the period', async () => {
  const api = service.as();
  const hook = await receiver(200);
  const id = await aWebhook(api, hook.url);
  await publish(service, leadCreated, api.caller, leadData());
  await inStatus(api, id, 'succeeded');
  const sql = (text: string) => service.sqlWithin(api.caller, text);
  await sql(`UPDATE attempt SET duration_ms = 1`);
  await sql(`INSERT INTO attempt (delivery_id, number, trigger, started_at, duration_ms, error, request_headers)
    SELECT delivery_id, n, 'manual', started_at, n, 'timeout', '{}' FROM attempt, generate_series(2, 100) AS n`);
  const stats = (query = {}) => api.getWebhookStats({ params: { id }, query });
  const { attempts } = (await stats()).data;
  expect(attempts).toEqual({ measured: 100, succeeded: 1, p50Ms: 50, p95Ms: 95, p99Ms: 99 });
  const before = (await stats({ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' })).data;
  expect([before.deliveries.total, before.successRate]).toEqual([0, null]);
  expect(before.attempts).toEqual({ measured: 0, succeeded: 0, p50Ms: null, p95Ms: null, p99Ms: null });
});

it('refuses a period that ends before it begins', async () => {
  const api = service.as();
  const id = await aWebhook(api, 'http://127.0.0.1:9/hook');
  const query = { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' };
  const { status, body } = await api.getWebhookStats({ params: { id }, query });
  expect([status, body.errors?.map(({ field }) => field)]).toEqual([422, ['from']]);
});
