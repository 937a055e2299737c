import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createPepper } from '@tandem/api-keys';
import { testSettings } from '@tandem/testing';
import jsonwebtoken from 'jsonwebtoken';
import { anonymous, aTenant, fleet, password, type Service, startIdentity } from '../../identity.test-service.ts';
import type { IdentitySettings } from '../../settings.ts';

let testDatabase: Awaited<ReturnType<typeof testSettings>>;
const running: Service[] = [];

beforeAll(async () => {
  testDatabase = await testSettings('identity');
});
afterAll(async () => {
  for (const service of running) await service.close();
  await testDatabase?.drop();
});

/** Starts an instance with its own secrets on the shared database. */
async function start(changed: Partial<IdentitySettings>): Promise<Service> {
  const service = await startIdentity(changed, testDatabase);
  running.push(service);
  return service;
}

const hex = () => randomBytes(32).toString('hex');

describe('pepper rotation', () => {
  // Peppers of earlier releases have no id.
  const a = hex();
  const b = `k2:${hex()}`;
  const settings = [a, `${a},${b}`, `${b},${a}`, b];
  let steps: Service[];
  beforeAll(async () => {
    steps = await Promise.all(settings.map((KEY_PEPPER) => start({ KEY_PEPPER })));
  });
  const step = (number: number) => steps[number] as Service;

  /** Resolves a key as a gateway at `gatewayStep` with identity at `identityStep`. */
  const resolve = (key: string, gatewayStep: number, identityStep: number) => {
    const pepper = createPepper(settings[gatewayStep] as string);
    const body = { hash: pepper.hash(key), pepper: pepper.id, previous: pepper.previous(key) };
    return fleet(step(identityStep)).resolveKey({ body });
  };
  const newKey = async (tenant: Awaited<ReturnType<typeof aTenant>>, service: Service) => {
    const owner = service.as({ type: 'user', tenantId: tenant.tenantId, userId: Number(tenant.user.id) } as never);
    return (await owner.createApiKey({ body: { name: 'ci' } })).data as { id: string; fullKey: string };
  };
  const pepperOf = async (key: { id: string }) =>
    (await step(0).sql('SELECT pepper FROM key_lookup WHERE key_id = $1', [key.id]))[0]?.pepper;
  const outdated = async (service: Service): Promise<string[]> =>
    (await fleet(service).listOutdatedKeys({ body: {} })).data.keys.map(({ keyId }: { keyId: string }) => keyId);

  it('keys resolve with gateway and identity one step apart, and are rehashed on use', async () => {
    const tenant = await aTenant(step(0));
    const key = await newKey(tenant, step(0));
    const resolved = async (one: { fullKey: string }, gatewayStep: number, identityStep: number) =>
      expect((await resolve(one.fullKey, gatewayStep, identityStep)).status).toBe(200);

    for (const [gateway, identity] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
      [1, 2],
      [2, 1],
    ] as const)
      await resolved(key, gateway, identity);
    expect(await pepperOf(key)).toBeNull();

    const late = await newKey(tenant, step(2));
    for (const one of [key, late]) {
      await resolved(one, 2, 2);
      expect(await pepperOf(one)).toBe('k2');
      // Gateways at the previous step send the new hash as well, and those at the next step no longer need the old one.
      for (const [gateway, identity] of [
        [1, 2],
        [2, 1],
        [2, 3],
        [3, 2],
        [3, 3],
      ] as const)
        await resolved(one, gateway, identity);
      expect(await pepperOf(one)).toBe('k2');
    }
  });

  it('unused active keys are listed as outdated, revoked ones are not', async () => {
    const tenant = await aTenant(step(1));
    const [used, unused, revoked] = await Promise.all([1, 2, 3].map(() => newKey(tenant, step(1))));
    await tenant.owner.revokeApiKey({ params: { id: revoked?.id } });
    expect(await outdated(step(2))).toEqual(expect.arrayContaining([used?.id, unused?.id]));
    await resolve(used?.fullKey as string, 2, 2);
    const left = await outdated(step(2));
    expect([used, unused, revoked].map((key) => left.includes(key?.id as string))).toEqual([false, true, false]);
    expect((await resolve(unused?.fullKey as string, 3, 3)).status).toBe(404);
  });

  it('an unknown key is not found with any pepper', async () => {
    const { key } = { key: `svc_live_sk_${'x'.repeat(46)}` };
    expect((await resolve(key, 2, 2)).status).toBe(404);
  });

  it('concurrent uses rehash a key once, and all succeed', async () => {
    const key = await newKey(await aTenant(step(1)), step(1));
    const replies = await Promise.all(Array.from({ length: 20 }, () => resolve(key.fullKey, 2, 2)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await step(0).sql('SELECT pepper FROM key_lookup WHERE key_id = $1', [key.id])).toEqual([{ pepper: 'k2' }]);
  });

  it('users can log in at each step, and without the old pepper after addresses are rehashed', async () => {
    const tenant = await aTenant(step(0));
    const person = await tenant.addUser('member');
    const late = await aTenant(step(2));
    const signIn = async (service: Service, email: string) =>
      (await anonymous(service).login({ body: { email, password } })).status;
    for (const number of [0, 1, 2]) expect(await signIn(step(number), tenant.email)).toBe(200);
    expect(await signIn(step(1), late.email)).toBe(200);
    expect(await signIn(step(3), tenant.email)).toBe(401);

    // A new address replaces the hash of the old one, whatever its pepper.
    const changed = `${hex()}@example.com`;
    const owner = step(2).as({ type: 'user', tenantId: tenant.tenantId, userId: Number(tenant.user.id) } as never);
    await owner.updateUser({ params: { id: person.id }, body: { email: changed } });
    expect(await signIn(step(2), person.email)).toBe(401);

    let rehashed = 0;
    for (let after: string | null = null; ; ) {
      const { data }: { data: { rehashed: number; left: number; next: string | null } } = await fleet(
        step(2),
      ).rehashAddresses({ body: { after } });
      expect(data.left).toBe(0);
      rehashed += data.rehashed;
      after = data.next;
      if (after === null) break;
    }
    expect(rehashed).toBeGreaterThan(0);
    expect((await fleet(step(2)).rehashAddresses({ body: {} })).data).toEqual({ rehashed: 0, left: 0, next: null });
    for (const number of [1, 2, 3])
      for (const email of [tenant.email, changed, late.email]) expect(await signIn(step(number), email)).toBe(200);
  });
});

it('signing key rotation: tokens of each step verify with the keys published at adjacent steps', async () => {
  const pem = () =>
    generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  // The second key has escaped line breaks, as in an .env file.
  const [a, b] = [pem(), `k2:${pem().replaceAll('\n', '\\n')}`];
  const steps = await Promise.all(
    [a, `${a},${b}`, `${b},${a}`, b].map((JWT_PRIVATE_KEY) => start({ JWT_PRIVATE_KEY })),
  );
  const published = async (service: Service) => (await anonymous(service).getJwks()).body as unknown as { keys: Jwk[] };
  const kids = await Promise.all(steps.map(async (one) => (await published(one)).keys.map(({ kid }) => kid)));
  const [kidA, kidB] = kids[1] as [string, string];
  expect(kids).toEqual([[kidA], [kidA, kidB], [kidB, kidA], [kidB]]);

  const tenant = await aTenant(steps[0] as Service);
  for (const [at, signer] of steps.entries()) {
    const { data } = await anonymous(signer).login({ body: { email: tenant.email, password } });
    for (const verifier of steps.slice(Math.max(0, at - 1), at + 2)) {
      const { header } = jsonwebtoken.decode(data.accessToken, { complete: true }) ?? {};
      const jwk = (await published(verifier)).keys.find(({ kid }) => kid === header?.kid);
      const key = createPublicKey({ key: jwk as never, format: 'jwk' });
      expect(() => jsonwebtoken.verify(data.accessToken, key, { algorithms: ['RS256'] })).not.toThrow();
    }
  }
});

it('a sign-up retried during encryption key rotation creates one tenant', async () => {
  const key = () => randomBytes(32).toString('base64');
  const [a, b] = [`k1:${key()}`, `k2:${key()}`];
  const instances = await Promise.all([`${a},${b}`, `${b},${a}`].map((ENCRYPTION_KEY) => start({ ENCRYPTION_KEY })));
  const owner = { email: `${hex()}@example.com`, password, firstName: 'Ada', lastName: 'Lovelace' };
  const request = { body: { name: 'Once', owner }, headers: { 'idempotency-key': 'sign-up' } };
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, at) => anonymous(instances[at % 2] as Service).createTenant(request)),
  );
  const made = replies.filter(({ status }) => status === 201);
  expect(made.length).toBeGreaterThan(0);
  expect(new Set(replies.map(({ status }) => status)).difference(new Set([201, 409]))).toEqual(new Set());
  for (const instance of instances) made.push(await anonymous(instance).createTenant(request));
  expect(new Set(made.map(({ data }) => data.tenant.id)).size).toBe(1);
});

type Jwk = { kid: string };
