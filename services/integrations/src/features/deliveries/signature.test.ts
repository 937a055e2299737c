import { leadCreated } from '@tandem/crm-contract';
import { until } from '@tandem/testing';
import { Webhook } from 'standardwebhooks';
import { type Integrations, leadData, publish, type Received, receiver, startIntegrations } from '../../testing.ts';

let service: Integrations;
beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service.close());

const standard = ({ headers }: Received) =>
  Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, headers[name] as string]),
  );

/** Standard headers rebuilt from X-Service-Signature, as a receiver of the spec does. */
function rebuilt({ headers }: Received): Record<string, string> {
  const parts = String(headers['x-service-signature'])
    .split(',')
    .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)] as const);
  const one = (wanted: string) => parts.find(([name]) => name === wanted)?.[1] as string;
  const macs = parts.filter(([name]) => name === 'v1').map(([, mac]) => `v1,${mac}`);
  return { 'webhook-id': one('id'), 'webhook-timestamp': one('t'), 'webhook-signature': macs.join(' ') };
}

async function delivered(...answers: Parameters<typeof receiver>) {
  const api = service.as();
  const hook = await receiver(...answers);
  const { id, secret } = (await api.createWebhook({ body: { url: hook.url, events: ['*'] } })).data;
  const next = async (count: number) => {
    await publish(service, leadCreated, api.caller, leadData());
    return until(`request ${count} arrives`, () => hook.requests[count - 1]);
  };
  return { api, hook, id, secret, next, params: { id } };
}

it('is accepted by the public verifier from either header, and rejected with another key or body', async () => {
  const { secret, next, hook } = await delivered(200);
  const request = await next(1);
  const envelope = JSON.parse(String(request.body));
  expect(new Webhook(secret).verify(request.body, standard(request))).toEqual(envelope);
  expect(new Webhook(secret).verify(String(request.body), rebuilt(request))).toEqual(envelope);
  expect(Object.keys(envelope)).toEqual(['id', 'type', 'createdAt', 'data']);
  expect(envelope).toMatchObject({
    id: request.headers['webhook-id'],
    type: 'lead.created',
    data: { email: 'ada@example.com', source: 'web' },
  });
  expect(envelope.id).toMatch(/^[A-Za-z0-9]{16,17}$/);
  expect(envelope.data.leadId).toMatch(/^[A-Za-z0-9]{16,17}$/);
  const foreign = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  expect(() => new Webhook(foreign).verify(request.body, standard(request))).toThrow();
  expect(() => new Webhook(secret).verify(`${request.body} `, standard(request))).toThrow();
  await hook.close();
});

it('sends headers in the letter case of the spec', async () => {
  const { next, hook } = await delivered(200);
  const request = await next(1);
  const names = request.rawHeaders.map(([name]) => name);
  for (const name of [
    'Content-Type',
    'User-Agent',
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'X-Service-Signature',
    'X-Service-Event',
    'X-Service-Delivery',
    'X-Service-Attempt',
    'X-Service-Environment',
  ])
    expect(names).toContain(name);
  expect(request.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'svc-webhooks/1',
    'x-service-event': 'lead.created',
    'x-service-attempt': '1',
    'x-service-environment': 'live',
    'x-service-delivery': expect.stringMatching(/^[A-Za-z0-9]{16,17}$/),
  });
  await hook.close();
});

it('verifies with the two latest secrets during a rotation, or only the new one without a grace period', async () => {
  const { api, secret: first, next, hook, params } = await delivered(200);
  const { secret: second, previousSecretExpiresAt } = (await api.rotateWebhookSecret({ params })).data;
  expect((new Date(previousSecretExpiresAt).getTime() - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
  const during = await next(1);
  for (const secret of [first, second]) {
    expect(new Webhook(secret).verify(during.body, standard(during))).toBeDefined();
    expect(new Webhook(secret).verify(during.body, rebuilt(during))).toBeDefined();
  }
  expect(String(during.headers['webhook-signature']).split(' ')).toHaveLength(2);

  const { secret: third } = (await api.rotateWebhookSecret({ params, body: { graceSeconds: 60 } })).data;
  const again = await next(2);
  for (const secret of [second, third]) expect(new Webhook(secret).verify(again.body, standard(again))).toBeDefined();
  expect(() => new Webhook(first).verify(again.body, standard(again))).toThrow();

  const { secret: last } = (await api.rotateWebhookSecret({ params, body: { graceSeconds: 0 } })).data;
  const after = await next(3);
  expect(new Webhook(last).verify(after.body, standard(after))).toBeDefined();
  expect(() => new Webhook(third).verify(after.body, standard(after))).toThrow();
  await hook.close();
});
