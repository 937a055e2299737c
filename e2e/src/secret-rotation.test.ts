import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { createClient } from '@tandem/client/public';
import { internalSecrets } from '@tandem/identity-contract';
import { newSecret } from '@tandem/local/secrets';
import { readSecretList, writeSecretList } from '@tandem/secrets';
import {
  aTenant,
  operations,
  type Receiver,
  startFleet,
  startReceiver,
  type TestFleet,
  type TestTenant,
  tokensOf,
} from '@tandem/test-fleet';
import { until } from '@tandem/testing';

const gateways = ['gateway', 'gateway2'];
const rotated = ['INTERNAL_SECRETS', 'KEY_PEPPER', 'ENCRYPTION_KEY', 'JWT_PRIVATE_KEY'] as const;
type Rotated = Record<(typeof rotated)[number], string>;

let fleet: TestFleet;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  fleet = await startFleet({
    services: ['identity', 'integrations'],
    gateways: 2,
    instances: { identity: 2, integrations: 2 },
  });
}, 180_000);
afterAll(async () => {
  await fleet?.stop();
  await receiver?.close();
});

const apiAt = (gateway: string, credentials: Parameters<typeof createClient>[0]['credentials']) =>
  createClient({ operations, baseUrl: `http://127.0.0.1:${fleet.environment[gateway]?.PORT}`, credentials });

/** Credentials and records issued so far, which must stay valid during the whole rotation. */
interface Issued {
  keys: string[];
  tokens: string[];
  cursors: string[];
  webhooks: string[];
}

/** Issues one more of each kind through each gateway. */
async function issueMore(tenant: TestTenant, issued: Issued): Promise<void> {
  for (const gateway of gateways) {
    const { email, password } = tenant;
    const signedIn = tokensOf((await apiAt(gateway, undefined).login({ body: { email, password } })).data);
    issued.tokens.push(signedIn.accessToken);
    const person = apiAt(gateway, { accessToken: signedIn.accessToken, tenantId: tenant.id });
    issued.keys.push((await person.createApiKey({ body: { name: 'rotation' } })).data.fullKey as string);
    const program = apiAt(gateway, { apiKey: tenant.live });
    const { data: webhook } = await program.createWebhook({ body: { url: receiver.url, events: ['lead.created'] } });
    issued.webhooks.push(webhook.id);
    const { pagination } = await program.listWebhooks({ query: { limit: 1 } });
    if (pagination?.nextCursor) issued.cursors.push(pagination.nextCursor);
  }
}

/** Uses everything issued so far through each gateway. */
async function useAll(tenant: TestTenant, issued: Issued): Promise<void> {
  for (const gateway of gateways) {
    for (const apiKey of issued.keys) await apiAt(gateway, { apiKey }).getMe();
    for (const accessToken of issued.tokens) await apiAt(gateway, { accessToken, tenantId: tenant.id }).getMe();
    const program = apiAt(gateway, { apiKey: tenant.live });
    for (const cursor of issued.cursors) await program.listWebhooks({ query: { limit: 1, cursor } });
    for (const id of issued.webhooks)
      expect((await program.testWebhook({ params: { id }, body: {} })).data).toMatchObject({ succeeded: true });
  }
}

/**
 * Restarts every process with the settings of a step, one instance of each at a time, and calls `between` after each.
 */
async function rollOut(settings: Rotated, between: () => Promise<void>): Promise<void> {
  for (const instance of ['', '2']) {
    await Promise.all(
      ['identity', 'integrations', 'gateway'].map((name) => fleet.restart(`${name}${instance}`, settings)),
    );
    await between();
  }
}

it('all four secrets are rotated in three rolling restarts without a refused request', async () => {
  const tenant = await aTenant(fleet);
  const issued: Issued = {
    keys: [tenant.live, tenant.sandbox],
    tokens: [tenant.accessToken],
    cursors: [],
    webhooks: [],
  };
  const use = async () => {
    await issueMore(tenant, issued);
    await useAll(tenant, issued);
  };
  await use();

  const before = Object.fromEntries(rotated.map((name) => [name, fleet.environment.gateway?.[name]])) as Rotated;
  const lists = rotated.map((name) => {
    const [a] = readSecretList(before[name]);
    return { name, a, b: { id: 'k2', value: newSecret(name).trim() } };
  });
  const step = (order: ('a' | 'b')[]) =>
    Object.fromEntries(lists.map((list) => [list.name, writeSecretList(order.map((one) => list[one]))])) as Rotated;

  await rollOut(step(['a', 'b']), use);
  await rollOut(step(['b', 'a']), use);
  await endUseOfOldSecrets(() => useAll(tenant, issued));
  // The operator waits until tokens and cursors from before step 2 are no longer used.
  issued.tokens = [];
  issued.cursors = [];
  await issueMore(tenant, issued);
  await rollOut(step(['b']), use);
}, 600_000);

/** The steps of an operator before the last restart (README.md, "Replacing secrets"). */
async function endUseOfOldSecrets(useKeys: () => Promise<void>): Promise<void> {
  const { INTERNAL_SECRETS, IDENTITY_URL } = fleet.environment.gateway as Record<string, string>;
  const identity = createServiceClient({
    operations: internalSecrets,
    baseUrl: IDENTITY_URL as string,
    service: 'e2e',
    signer: createCallerSigner(INTERNAL_SECRETS as string),
  });
  const as = { environment: 'live' as const, requestId: 'e2e' };
  const { left } = await identity.rehashAddresses({ body: {}, as });
  expect(left).toBe(0);
  await until('every API key is rehashed by its use', async () => {
    await useKeys();
    return !(await identity.listOutdatedKeys({ body: {}, as })).keys.length;
  });
  for (const name of ['integrations', 'integrations2'])
    await until('every webhook secret is sealed under the new key', async () => {
      const text = await (await fetch(`http://127.0.0.1:${fleet.environment[name]?.PORT}/metrics`)).text();
      return /^tandem_sealed_values\{.*key="k2"/m.test(text) && !/^tandem_sealed_values\{.*key="k1"/m.test(text);
    });
}
