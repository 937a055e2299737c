import { randomBytes, randomUUID } from 'node:crypto';
import { testSettings } from '@tandem/testing';
import { Webhook } from 'standardwebhooks';
import {
  type Api,
  closingReceivers,
  type Integrations,
  queryAsOwner,
  type Receiver,
  startIntegrations,
} from '../../testing.ts';

const key = () => randomBytes(32).toString('base64');
const receiver = closingReceivers();
let sharedSettings: Awaited<ReturnType<typeof testSettings>>;
const running: Integrations[] = [];

beforeAll(async () => {
  sharedSettings = await testSettings('integrations');
});
afterAll(async () => {
  for (const service of running) await service.close();
  await sharedSettings?.drop();
});

/** Starts an instance with this ENCRYPTION_KEY on the shared database. */
async function start(setting: string, more: object = {}): Promise<Integrations> {
  const service = await startIntegrations({ ENCRYPTION_KEY: setting, ...more }, undefined, sharedSettings);
  running.push(service);
  return service;
}

async function stop(service: Integrations): Promise<void> {
  running.splice(running.indexOf(service), 1);
  await service.close();
}

/** Sends a test request and checks its signature and custom header. */
async function expectDelivery(api: Api, id: string, secret: string, hook: Receiver): Promise<void> {
  expect((await api.testWebhook({ params: { id } })).data).toMatchObject({ succeeded: true });
  const { headers, body } = hook.requests.at(-1) as Receiver['requests'][number];
  expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();
  expect(headers['x-team']).toBe('sales');
}

const sealedKeys = async (service: Integrations) =>
  (
    await queryAsOwner(
      service,
      `SELECT DISTINCT split_part(value, '.', 1) AS key, strpos(value, '.') > 0 AS named
        FROM webhook, unnest(ARRAY[secret, previous_secret, custom_headers]) AS value WHERE value IS NOT NULL`,
    )
  ).map(({ key: id, named }) => (named ? id : ''));
const countsByKey = async (service: Integrations) =>
  Object.fromEntries(
    [...(await service.metrics()).matchAll(/^tandem_sealed_values\{(.*)\} (\d+)$/gm)].map(([, labels, count]) => [
      ['column', 'key'].map((label) => new RegExp(`${label}="([^"]*)"`).exec(labels as string)?.[1]).join(' '),
      Number(count),
    ]),
  );

it('the encryption key is rotated in three steps without downtime, and no value needs the old key', async () => {
  const [a, b] = [key(), `k2:${key()}`];
  const caller = { tenantId: 1, userId: 1 };
  const hook = await receiver(200);
  const body = { url: hook.url, events: ['lead.created'], customHeaders: { 'X-Team': 'sales' } };
  const create = async (service: Integrations, idempotencyKey: string) =>
    (await service.as(caller).createWebhook({ body, headers: { 'idempotency-key': idempotencyKey } })).data;

  // A key without an id, as in earlier releases.
  const first = await start(a);
  const old = await create(first, 'one');
  const rotated = await create(first, randomUUID());
  const { data: next } = await first.as(caller).rotateWebhookSecret({ params: { id: rotated.id }, body: {} });

  const second = await start(`${a},${b}`);
  for (const service of [first, second]) await expectDelivery(service.as(caller), old.id, old.secret, hook);
  await stop(first);

  const third = await start(`${b},${a}`);
  const added = await create(third, randomUUID());
  for (const service of [second, third]) {
    await expectDelivery(service.as(caller), old.id, old.secret, hook);
    await expectDelivery(service.as(caller), added.id, added.secret, hook);
    await expectDelivery(service.as(caller), rotated.id, next.secret, hook);
    // The stored idempotent response is sealed too, and its request digest uses another key.
    expect(await create(service, 'one')).toEqual(old);
  }
  await stop(second);

  await third.reencrypt();
  expect(await sealedKeys(third)).toEqual(['k2']);
  expect(await countsByKey(third)).toEqual({ 'secret k2': 3, 'previous_secret k2': 1, 'custom_headers k2': 3 });

  const fourth = await start(b);
  for (const service of [third, fourth])
    for (const [webhook, secret] of [
      [old, old.secret],
      [added, added.secret],
      [rotated, next.secret],
      [rotated, rotated.secret],
    ])
      await expectDelivery(service.as(caller), webhook.id, secret, hook);
});

it('a value with an unknown key stays unchanged and is counted, and the others are re-encrypted', async () => {
  const [a, b, lost] = [`k1:${key()}`, `k2:${key()}`, `k9:${key()}`];
  const caller = { tenantId: 2, userId: 1 };
  const body = { url: 'http://127.0.0.1:9/hook', events: ['lead.created'] };
  for (const setting of [lost, a]) {
    const service = await start(setting);
    await service.as(caller).createWebhook({ body });
    await stop(service);
  }
  const service = await start(`${b},${a}`);
  await service.reencrypt();
  expect(await countsByKey(service)).toMatchObject({ 'secret k9': 1 });
  expect(await countsByKey(service)).not.toHaveProperty('secret k1');
});

it('a deleted webhook has no encrypted values', async () => {
  const [a, b] = [`k1:${key()}`, `k2:${key()}`];
  const caller = { tenantId: 3, userId: 1 };
  const first = await start(a);
  const body = { url: 'http://127.0.0.1:9/hook', events: ['lead.created'], customHeaders: { 'X-Team': 'sales' } };
  const { data } = await first.as(caller).createWebhook({ body });
  await first.as(caller).rotateWebhookSecret({ params: { id: data.id }, body: {} });
  await first.as(caller).deleteWebhook({ params: { id: data.id } });
  await stop(first);

  const service = await start(`${b},${a}`);
  await service.reencrypt();
  expect(await countsByKey(service)).not.toHaveProperty('secret ');
  expect(await countsByKey(service)).not.toHaveProperty('secret k1');
});

it('the credentials of connections and open authorizations are re-encrypted, and stay usable', async () => {
  const [a, b] = [`k1:${key()}`, `k2:${key()}`];
  const caller = { tenantId: 4, userId: 1 };
  const provider = { OAUTH_SLACK_CLIENT_ID: 'tandem', OAUTH_SLACK_CLIENT_SECRET: 'ThisIsOnlyATest' };
  const system = await receiver(200);
  const first = await start(a, provider);
  const credentials = { auth: 'none', baseUrl: system.url };
  const body = { connectorKey: 'rest', name: 'ERP', credentials };
  const { data } = await first.as(caller).createConnection({ body });
  const request = { params: { provider: 'slack' }, body: {} };
  expect((await first.as(caller).authorizeConnection(request)).status).toBe(200);
  await stop(first);

  const service = await start(`${b},${a}`, provider);
  await service.reencrypt();
  expect(await countsByKey(service)).toMatchObject({ 'credentials k2': 1, 'verifier k2': 1 });
  expect(await countsByKey(service)).not.toHaveProperty('credentials k1');
  expect((await service.as(caller).testConnection({ params: { id: data.id } })).data.ok).toBe(true);
});
