import type http from 'node:http';
import { leadCreated } from '@tandem/crm-contract';
import { until } from '@tandem/testing';
import { Webhook } from 'standardwebhooks';
import {
  aWebhook,
  deliveryAt,
  hang,
  type Integrations,
  leadData,
  publish,
  type Received,
  receiver,
  startIntegrations,
} from '../../testing.ts';

let service: Integrations;
beforeAll(async () => {
  // Each test waits this long. A shorter timeout could end the response before its headers on a busy machine.
  service = await startIntegrations({ WEBHOOK_TIMEOUT_SECONDS: 3 });
});
afterAll(() => service.close());

const drip = (_: unknown, response: http.ServerResponse) => {
  response.writeHead(200);
  const timer = setInterval(() => (response.destroyed ? clearInterval(timer) : response.write('.')), 30);
};

it.each([
  ['no response in time', hang, null],
  ['a response that never ends', drip, 200],
] as const)('counts %s as a failure', async (_, answer, statusCode) => {
  const api = service.as();
  const hook = await receiver(answer);
  const id = await aWebhook(api, hook.url);
  await publish(service, leadCreated, api.caller, leadData());
  const attempt = await until('an attempt is recorded', async () => (await deliveryAt(api, id))?.attempts[0]);
  expect(attempt).toMatchObject({ number: 1, statusCode, error: 'timeout' });
  expect(['retrying', 'delivering', 'failed']).toContain((await deliveryAt(api, id)).status);
  await hook.close();
});

it('signs every attempt with a new timestamp, so that receivers do not reject a late retry as a replay', async () => {
  const api = service.as();
  const hook = await receiver(hang, 200);
  const { secret } = (await api.createWebhook({ body: { url: hook.url, events: ['*'] } })).data;
  await publish(service, leadCreated, api.caller, leadData());
  await until('the retry arrives', () => hook.requests.length >= 2);
  const [first, second] = hook.requests as [Received, Received];
  const signed = ({ headers }: Received) =>
    Object.fromEntries(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, headers[name] as string]),
    );
  for (const request of [first, second])
    expect(new Webhook(secret).verify(request.body, signed(request))).toBeDefined();
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(Number(second.headers['webhook-timestamp'])).toBeGreaterThan(Number(first.headers['webhook-timestamp']));
  const old = { ...signed(second), 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) - 360) };
  expect(() => new Webhook(secret).verify(second.body, old)).toThrow();
  await hook.close();
});
