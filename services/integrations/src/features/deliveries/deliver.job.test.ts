import { leadCreated } from '@tandem/crm-contract';
import { deliveries } from '@tandem/integrations-contract';
import { everyOperation, until } from '@tandem/testing';
import {
  aWebhook,
  closingReceivers,
  deliveryAt,
  emitted,
  type Integrations,
  inStatus,
  leadData,
  publish,
  type Receiver,
  startIntegrations,
} from '../../testing.ts';

let service: Integrations;
const aHook = closingReceivers();

beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service.close());

everyOperation(deliveries, () => service as never);

it('retries a failed attempt with the same body and header names until it succeeds', async () => {
  const api = service.as();
  const hook = await aHook(500, 503, 204);
  const id = await aWebhook(api, hook.url, { customHeaders: { 'X-Team': 'sales' } });
  await publish(service, leadCreated, api.caller, leadData());
  const delivery = await inStatus(api, id, 'succeeded');
  expect(hook.requests).toHaveLength(3);
  const [first, ...others] = hook.requests;
  for (const one of others) {
    expect(one.body.equals(first?.body as Buffer)).toBe(true);
    expect(one.rawHeaders.map(([name]) => name)).toEqual(first?.rawHeaders.map(([name]) => name));
  }
  expect(hook.requests.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3']);
  expect(delivery).toMatchObject({
    attemptCount: 3,
    manualAttemptCount: 0,
    maxAttempts: 3,
    nextAttemptAt: null,
    lastStatusCode: 204,
    lastError: null,
  });
  expect(delivery.completedAt).not.toBeNull();
  expect(delivery.rawBody).toBe(String(first?.body));
  expect(delivery.payload).toEqual(JSON.parse(delivery.rawBody));
  expect(
    delivery.attempts.map((one: { number: number; statusCode: number; error: string; trigger: string }) => [
      one.number,
      one.statusCode,
      one.error,
      one.trigger,
    ]),
  ).toEqual([
    [1, 500, 'http_status', 'scheduled'],
    [2, 503, 'http_status', 'scheduled'],
    [3, 204, null, 'scheduled'],
  ]);
  expect(delivery.attempts[0]).toMatchObject({
    responseBody: 'thanks',
    requestHeaders: { 'X-Team': '***', 'X-Service-Event': 'lead.created' },
  });
  expect((await api.getWebhook({ params: { id } })).data.failureSince).toBeNull();
});

it('gives up after the last attempt, and emits webhook.delivery_exhausted', async () => {
  const api = service.as();
  const hook = await aHook(500);
  const id = await aWebhook(api, hook.url);
  await publish(service, leadCreated, api.caller, leadData());
  const delivery = await inStatus(api, id, 'failed');
  expect(delivery).toMatchObject({
    attemptCount: 3,
    nextAttemptAt: null,
    lastStatusCode: 500,
    lastError: 'http_status',
  });
  const event = await emitted(service, 'webhook.delivery_exhausted', id);
  expect(event.data).toEqual({
    webhookId: id,
    deliveryId: delivery.id,
    eventId: delivery.eventId,
    event: 'lead.created',
  });
  expect((await api.getWebhook({ params: { id } })).data.failureSince).not.toBeNull();
});

it('emits webhook.delivery_exhausted, except for failed deliveries of that event', async () => {
  const api = service.as();
  const hook = await aHook(500);
  await aWebhook(api, hook.url);
  const id = await aWebhook(api, hook.url, { events: ['webhook.*'] });
  await publish(service, leadCreated, api.caller, leadData());
  const exhaustedDelivery = await inStatus(api, id, 'failed');
  expect(exhaustedDelivery.event).toBe('webhook.delivery_exhausted');
  // The outbox keeps the order: once this event is published, an earlier one would be too.
  await api.rotateWebhookSecret({ params: { id }, body: {} });
  await emitted(service, 'webhook.secret_rotated', id);
  const exhausted = service.events.filter(({ name }) => name === 'webhook.delivery_exhausted');
  expect(exhausted.filter(({ data }) => (data as { webhookId: string }).webhookId === id)).toEqual([]);
});

describe('failed attempts', () => {
  let elsewhere: Receiver;
  beforeAll(async () => {
    elsewhere = await aHook(200);
  });

  it.each([
    [
      'a redirect, which is not followed',
      (_: unknown, response: never) => redirect(response, elsewhere.url),
      302,
      'http_status',
    ],
    ['a client error', 400, 400, 'http_status'],
    ['too many requests', 429, 429, 'http_status'],
    [
      'a connection that breaks',
      (_: unknown, response: { socket: { destroy(): void } }) => response.socket.destroy(),
      null,
      'connect',
    ],
  ] as const)('%s', async (_, answer, statusCode, error) => {
    const api = service.as();
    const hook = await aHook(answer as never);
    const id = await aWebhook(api, hook.url);
    await publish(service, leadCreated, api.caller, leadData());
    const attempt = await until('an attempt is recorded', async () => (await deliveryAt(api, id))?.attempts[0]);
    expect(attempt).toMatchObject({ number: 1, statusCode, error });
    expect(['retrying', 'delivering', 'failed']).toContain((await deliveryAt(api, id)).status);
    expect(elsewhere.requests).toHaveLength(0);
  });
});

function redirect(response: { writeHead(status: number, headers: object): { end(): void } }, to: string): void {
  response.writeHead(302, { Location: to }).end();
}

it('stores the first 4 KiB of a response, and does not read an endless one', async () => {
  const api = service.as();
  let written = 0;
  const hook = await aHook((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(`\0${'x'.repeat(1_023)}`)) written += 1_024;
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });
  const id = await aWebhook(api, hook.url);
  await publish(service, leadCreated, api.caller, leadData());
  const delivery = await inStatus(api, id, 'succeeded');
  expect(Buffer.byteLength(delivery.attempts[0].responseBody)).toBeLessThanOrEqual(4_096 + 16);
  expect(delivery.attempts[0].responseBody).toMatch(/^\uFFFDx+/);
  expect(written).toBeLessThan(20_000_000);
});

it('disables a webhook at once after 410 Gone', async () => {
  const api = service.as();
  const hook = await aHook(410);
  const id = await aWebhook(api, hook.url);
  await publish(service, leadCreated, api.caller, leadData());
  await inStatus(api, id, 'failed');
  expect((await api.getWebhook({ params: { id } })).data).toMatchObject({
    active: false,
    disabledReason: 'gone',
    version: 2,
  });
  expect((await emitted(service, 'webhook.disabled', id)).data).toMatchObject({ reason: 'gone' });
  await publish(service, leadCreated, api.caller, leadData(8));
  await inStatus(api, id, 'skipped', 1);
  expect(hook.requests).toHaveLength(1);
  const enabled = await api.updateWebhook({ params: { id }, body: { active: true } });
  expect(enabled.data).toMatchObject({ active: true, disabledReason: null, disabledAt: null, failureSince: null });
  await emitted(service, 'webhook.recovered', id);
});

it('stops retries of a message when the receiver aborts it, and sends the next', async () => {
  const api = service.as();
  const hook = await aHook(
    (_, response) => response.writeHead(400, { 'Webhook-Delivery': 'abort-message' }).end(),
    200,
  );
  const id = await aWebhook(api, hook.url);
  await publish(service, leadCreated, api.caller, leadData());
  expect(await inStatus(api, id, 'failed')).toMatchObject({ attemptCount: 1, lastStatusCode: 400 });
  await publish(service, leadCreated, api.caller, leadData(8));
  await inStatus(api, id, 'succeeded', 1);
});

it('respects Retry-After', async () => {
  const api = service.as();
  const hook = await aHook((_, response) => response.writeHead(503, { 'Retry-After': '3600' }).end());
  const id = await aWebhook(api, hook.url);
  await publish(service, leadCreated, api.caller, leadData());
  const delivery = await inStatus(api, id, 'retrying');
  const [{ startedAt }] = delivery.attempts;
  expect(Date.parse(delivery.nextAttemptAt) - Date.parse(startedAt)).toBeGreaterThanOrEqual(3_600_000);
});

it('cancels pending deliveries of a deleted webhook, and skips those of a disabled one', async () => {
  const api = service.as();
  const later = await aHook((_, response) => response.writeHead(503, { 'Retry-After': '600' }).end());
  const [removed, off] = [await aWebhook(api, later.url), await aWebhook(api, later.url)];
  await publish(service, leadCreated, api.caller, leadData());
  await Promise.all([removed, off].map((id) => inStatus(api, id, 'retrying')));
  const { id: deliveryId } = await deliveryAt(api, removed);
  await api.deleteWebhook({ params: { id: removed } });
  await api.updateWebhook({ params: { id: off }, body: { active: false } });
  expect(await deliveryAt(api, off)).toMatchObject({ status: 'skipped', nextAttemptAt: null });
  const [row] = await deliveryRows(deliveryId);
  expect(row).toMatchObject({ status: 'cancelled', next_attempt_at: null });
});

const deliveryRows = async (id: string) => {
  await service.sql('ALTER TABLE delivery NO FORCE ROW LEVEL SECURITY');
  return service.sql('SELECT * FROM delivery WHERE id = $1', [id]);
};

describe('a manual retry', () => {
  it('sends a finished delivery again, outside the schedule', async () => {
    const api = service.as();
    const hook = await aHook(500, 500, 500, 500, 200);
    const id = await aWebhook(api, hook.url);
    await publish(service, leadCreated, api.caller, leadData());
    const { id: deliveryId } = await inStatus(api, id, 'failed');
    const retry = () => api.retryDelivery({ params: { id, deliveryId } });
    const queued = await retry();
    expect([queued.status, queued.data.id]).toEqual([202, deliveryId]);
    const again = await until('the attempt by hand is recorded', async () => {
      const delivery = await deliveryAt(api, id);
      return delivery.manualAttemptCount === 1 && delivery;
    });
    expect(again).toMatchObject({ status: 'failed', attemptCount: 3 });
    await retry();
    const delivery = await inStatus(api, id, 'succeeded');
    expect(delivery).toMatchObject({ attemptCount: 3, manualAttemptCount: 2, lastStatusCode: 200 });
    expect(
      delivery.attempts.map((one: { number: number; trigger: string }) => `${one.number} ${one.trigger}`).slice(3),
    ).toEqual(['4 manual', '5 manual']);
    await emitted(service, 'webhook.delivery_retried', id);
  });

  it('is rejected while the schedule runs, for an inactive webhook, and for another tenant', async () => {
    const api = service.as();
    const hook = await aHook((_, response) => response.writeHead(503, { 'Retry-After': '600' }).end());
    const id = await aWebhook(api, hook.url);
    await publish(service, leadCreated, api.caller, leadData());
    const { id: deliveryId } = await inStatus(api, id, 'retrying');
    const params = { id, deliveryId };
    expect((await api.retryDelivery({ params })).body).toMatchObject({ status: 409, code: 'delivery_not_finished' });
    await api.updateWebhook({ params: { id }, body: { active: false } });
    expect((await api.retryDelivery({ params })).body).toMatchObject({ status: 409, code: 'webhook_inactive' });
    expect((await service.as().retryDelivery({ params })).status).toBe(404);
  });
});

it('recovers failed and skipped deliveries since a time, with a new schedule', async () => {
  const api = service.as();
  const since = new Date(Date.now() - 1_000).toISOString();
  const hook = await aHook(500, 500, 500, 500, 200);
  const id = await aWebhook(api, hook.url);
  await publish(service, leadCreated, api.caller, leadData());
  await inStatus(api, id, 'failed');
  await api.updateWebhook({ params: { id }, body: { active: false } });
  await publish(service, leadCreated, api.caller, leadData(8));
  await inStatus(api, id, 'skipped', 1);
  expect((await api.recoverWebhook({ params: { id }, body: { since } })).body.code).toBe('webhook_inactive');
  await api.updateWebhook({ params: { id }, body: { active: true } });
  const reply = await api.recoverWebhook({ params: { id }, body: { since } });
  expect([reply.status, reply.data]).toEqual([202, { jobId: expect.any(String), status: 'queued', matched: 2 }]);
  const [first, second] = [await inStatus(api, id, 'succeeded'), await inStatus(api, id, 'succeeded', 1)];
  expect(first.attempts.length + second.attempts.length).toBe(6);
  expect(first.attempts.map(({ number }: { number: number }) => number)).toEqual(
    first.attempts.map((_: unknown, index: number) => index + 1),
  );
  const job = await until('the work is completed', async () => {
    const { data } = await api.getJob({ params: { id: reply.data.jobId } });
    return data.status === 'completed' && data;
  });
  expect(job.progress).toEqual({ done: 2, total: 2 });
  const nothing = await api.recoverWebhook({ params: { id }, body: { since, until: since } });
  expect(nothing.data.matched).toBe(0);
});
