import { createPepper, readApiKey } from '@tandem/api-keys';
import { planFeatures } from '@tandem/contract';
import { credentialChannel } from '@tandem/identity-contract';
import { until } from '@tandem/testing';
import { Redis } from 'ioredis';
import { aTenant, fleet, type Service, secrets, startIdentity } from '../../identity.test-service.ts';

let service: Service;
const invalidations: unknown[] = [];
const listener = new Redis(process.env.TEST_REDIS_URL as string);
beforeAll(async () => {
  service = await startIdentity();
  await listener.subscribe(credentialChannel);
  listener.on('message', (_, message) => invalidations.push(JSON.parse(message)));
});
afterAll(async () => {
  listener.disconnect();
  await service?.close();
});

const resolve = (key: string) =>
  fleet(service).resolveKey({ body: { hash: createPepper(secrets.KEY_PEPPER).hash(key) } });
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

describe('a new API key', () => {
  it('is returned in full once and resolves to its tenant', async () => {
    const { owner, tenantId, user } = await aTenant(service);
    const { status, data } = await owner.createApiKey({
      body: { name: 'ci', environment: 'sandbox', permissions: ['leads:read'], allowedIps: ['203.0.113.0/24', '::1'] },
    });
    expect([status, data.keyPrefix, data.status, data.fullKey.slice(-4)]).toEqual([
      201,
      'svc_sandbox_sk_',
      'active',
      data.last4,
    ]);
    expect(readApiKey(data.fullKey)).toEqual({ environment: 'sandbox' });
    expect((await owner.getApiKey({ params: { id: data.id } })).data).not.toHaveProperty('fullKey');
    expect((await resolve(data.fullKey)).data).toEqual({
      tenantId: `${tenantId}`,
      environment: 'sandbox',
      partnerId: null,
      portalUserId: null,
      keyId: data.id,
      sessionId: null,
      userId: user.id,
      name: 'Ada Lovelace',
      teamIds: [],
      expiresAt: null,
      permissions: ['leads:read'],
      features: planFeatures.free,
      allowedIps: ['203.0.113.0/24', '::1'],
      limits: { plan: 'free', monthlyCalls: 1_000, ratePerMinute: 60, burst: 10 },
    });
    expect((await owner.getApiKey({ params: { id: data.id } })).data.lastUsedAt).not.toBeNull();
  });

  it('defaults to live, and never appears in the database or in events', async () => {
    const { owner } = await aTenant(service);
    const { data } = await owner.createApiKey({ body: { name: 'live' }, headers: { 'idempotency-key': 'once' } });
    expect(data.environment).toBe('live');
    const again = await owner.createApiKey({ body: { name: 'live' }, headers: { 'idempotency-key': 'once' } });
    expect([again.data.fullKey, again.headers['idempotent-replayed']]).toEqual([data.fullKey, 'true']);
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'api_key.created' && one.target.id === Number(data.id)),
    );
    const tables = await service.sql(
      `SELECT schemaname || '."' || tablename || '"' AS name FROM pg_tables WHERE schemaname IN ('public', 'platform')`,
    );
    const dump = await Promise.all(tables.map(({ name }) => service.sql(`SELECT * FROM ${name}`)));
    expect(JSON.stringify([event, dump])).not.toContain(data.fullKey);
  });

  it('is not replayed to another user or to a narrower credential of the same user', async () => {
    const { addUser, as, owner, user } = await aTenant(service);
    const admin = await addUser('admin');
    const request = { body: { name: 'ci', permissions: ['*'] }, headers: { 'idempotency-key': 'deploy-42' } };
    expect((await owner.createApiKey(request)).status).toBe(201);
    for (const other of [as(admin.id), as(user.id, ['api_keys:manage'])]) {
      const { status, body, data } = await other.createApiKey(request);
      expect([status, body.code, data]).toEqual([409, 'idempotency_mismatch', undefined]);
    }
    expect((await owner.createApiKey(request)).headers['idempotent-replayed']).toBe('true');
  });

  it('without permissions inherits the role of its creator', async () => {
    const { addUser, as, owner, roleId } = await aTenant(service);
    const admin = await addUser('admin');
    const adminRole = (await owner.getRole({ params: { id: roleId('admin') } })).data.permissions;
    const { data } = await as(admin.id, adminRole).createApiKey({ body: { name: 'mine' } });
    expect((await resolve(data.fullKey)).data.permissions).toEqual(adminRole);
    await owner.setUserRole({ params: { id: admin.id }, body: { roleId: roleId('viewer') } });
    expect((await resolve(data.fullKey)).data.permissions).not.toContain('leads:write');
  });

  it('keeps its current permissions when it is handed over because its owner leaves', async () => {
    const { addUser, as, owner, roleId } = await aTenant(service);
    const [admin, successor] = [await addUser('admin'), await addUser('owner')];
    const maker = as(admin.id, ['*']);
    const { data: narrow } = await maker.createApiKey({ body: { name: 'ci', permissions: ['leads:read'] } });
    const { data: wide } = await maker.createApiKey({ body: { name: 'mine' } });
    const { data: revoked } = await maker.createApiKey({ body: { name: 'old' } });
    await maker.revokeApiKey({ params: { id: revoked.id } });
    await owner.setUserRole({ params: { id: admin.id }, body: { roleId: roleId('viewer') } });
    await owner.deactivateUser({ params: { id: admin.id }, body: { reassignTo: successor.id } });
    const { data: viewer } = await owner.getRole({ params: { id: roleId('viewer') } });
    expect((await resolve(narrow.fullKey)).data).toMatchObject({ permissions: ['leads:read'], userId: successor.id });
    // The successor is an owner, and the key keeps to the role of a viewer.
    expect((await resolve(wide.fullKey)).data.permissions).toEqual(viewer.permissions);
    expect((await owner.getApiKey({ params: { id: wide.id } })).data).toMatchObject({
      createdBy: admin.id,
      ownerId: successor.id,
      permissions: viewer.permissions,
    });
    expect((await owner.getApiKey({ params: { id: revoked.id } })).data.ownerId).toBe(admin.id);
    await owner.updateUser({ params: { id: admin.id }, body: { status: 'active' } });
    expect((await resolve(wide.fullKey)).data.userId).toBe(successor.id);
  });

  it('may do nothing while its owner is inactive, and key managers learn that no successor took it over', async () => {
    const { addUser, as, owner, user } = await aTenant(service);
    const admin = await addUser('admin');
    const { data: role } = await owner.createRole({ body: { name: 'Tasks', permissions: ['tasks:read'] } });
    const successor = await addUser('member', { roleId: role.id });
    const { data: key } = await as(admin.id, ['*']).createApiKey({ body: { name: 'ci', permissions: ['leads:read'] } });
    await owner.deactivateUser({ params: { id: admin.id }, body: { reassignTo: successor.id } });
    expect((await resolve(key.fullKey)).data).toMatchObject({ permissions: [], userId: admin.id });
    expect((await as(user.id).listNotifications()).data).toMatchObject([
      { category: 'api_keys', priority: 'high', data: { keys: 1 } },
    ]);
    expect((await as(admin.id).listNotifications()).data).toEqual([]);
    await owner.activateUser({ params: { id: admin.id }, body: {} });
    expect((await resolve(key.fullKey)).data.permissions).toEqual(['leads:read']);
  });

  it.each([
    [
      ['leads:*', 'tasks:read'],
      ['leads:read:own', 'tasks:*'],
      ['tasks:read', 'leads:read:own'],
    ],
    [['*'], ['leads:read', 'tasks:read:team'], ['leads:read', 'tasks:read:team']],
    [['leads:read:team'], ['leads:read'], ['leads:read:team']],
    [['leads:write'], ['leads:read'], []],
  ])('with %j is limited to the role of its creator: %j', async (permissions, role, effective) => {
    const { addUser, as, owner } = await aTenant(service);
    const maker = await addUser('admin');
    const { data: key } = await as(maker.id).createApiKey({ body: { name: 'ci', permissions } });
    const { data: lesser } = await owner.createRole({ body: { name: 'Lesser', permissions: role } });
    await owner.setUserRole({ params: { id: maker.id }, body: { roleId: lesser.id } });
    expect(new Set((await resolve(key.fullKey)).data.permissions)).toEqual(new Set(effective));
  });

  it('never exceeds the permissions of the caller who creates or changes it', async () => {
    const { as, user, owner } = await aTenant(service);
    const maker = as(user.id, ['api_keys:manage', 'leads:read']);
    const make = (body: object) => maker.createApiKey({ body: { name: 'k', ...body } });
    expect((await make({ permissions: ['leads:read'] })).status).toBe(201);
    expect((await make({ permissions: ['leads:write'] })).status).toBe(403);
    // Their creator is an owner, so a key without its own permissions would have owner permissions.
    const inherited = await make({});
    expect([inherited.status, inherited.body.errors?.[0]?.field]).toEqual([403, 'permissions']);
    const { data: strong } = await owner.createApiKey({ body: { name: 'strong', permissions: ['tasks:read'] } });
    const id = { params: { id: strong.id } };
    const rotated = await maker.rotateApiKey(id);
    expect([rotated.status, rotated.body.errors?.[0]?.field]).toEqual([403, 'id']);
    expect((await maker.updateApiKey({ ...id, body: { permissions: [] } })).status).toBe(403);
  });

  it.each([
    [{ permissions: ['leads:fly'] }, 'permissions.0'],
    [{ environment: 'test' }, 'environment'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ allowedIps: ['10.0.0.0/33'] }, 'allowedIps.0'],
    [{ allowedIps: ['example.com'] }, 'allowedIps.0'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
  ])('with %j is rejected', async (fields, field) => {
    const { status, body } = await service.as().createApiKey({ body: { name: 'k', ...fields } });
    expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
  });
});

it('a caller with fewer permissions than a key can revoke it, but not change it', async () => {
  const { as, addUser, owner } = await aTenant(service);
  const keeper = as((await addUser('member')).id, ['api_keys:manage']);
  const { data: key } = await owner.createApiKey({ body: { name: 'home', allowedIps: ['10.0.0.0/8'] } });
  const params = { id: key.id };
  for (const body of [{ allowedIps: null }, { permissions: ['api_keys:read'] }, { expiresAt: inAnHour() }])
    expect((await keeper.updateApiKey({ params, body })).status).toBe(403);
  expect((await keeper.revokeApiKey({ params })).status).toBe(200);
});

describe('rotating a key', () => {
  it('keeps both keys valid during the overlap, and only the new one afterwards', async () => {
    const { owner, tenantId } = await aTenant(service);
    const { data: old } = await owner.createApiKey({
      body: { name: 'ci', permissions: ['leads:read'], expiresAt: null },
    });
    const { status, data: fresh } = await owner.rotateApiKey({ params: { id: old.id }, body: { overlapSeconds: 60 } });
    expect([status, fresh.name, fresh.permissions, fresh.expiresAt]).toEqual([201, 'ci', ['leads:read'], null]);
    expect(fresh.fullKey).not.toBe(old.fullKey);
    expect([(await resolve(old.fullKey)).status, (await resolve(fresh.fullKey)).status]).toEqual([200, 200]);
    await service.sql(
      `SELECT set_config('app.tenant_id', '${tenantId}', false); UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = ${old.id}`,
    );
    expect([(await resolve(old.fullKey)).status, (await resolve(fresh.fullKey)).status]).toEqual([404, 200]);
    expect((await owner.getApiKey({ params: { id: old.id } })).data.status).toBe('expired');
    expect((await owner.rotateApiKey({ params: { id: old.id } })).body.code).toBe('key_not_active');
  });

  it('defaults to an overlap of one day, allows at most a week, and never extends an expiry', async () => {
    const { owner } = await aTenant(service);
    const { data: old } = await owner.createApiKey({ body: { name: 'ci' } });
    await owner.rotateApiKey({ params: { id: old.id } });
    const remainingMs = Date.parse((await owner.getApiKey({ params: { id: old.id } })).data.expiresAt) - Date.now();
    expect(Math.abs(remainingMs - 86_400_000)).toBeLessThan(10_000);
    expect((await owner.rotateApiKey({ params: { id: old.id }, body: { overlapSeconds: 604_801 } })).status).toBe(422);
    const expiresAt = inAnHour();
    const { data: short } = await owner.createApiKey({ body: { name: 'short', expiresAt } });
    await owner.rotateApiKey({ params: { id: short.id } });
    expect((await owner.getApiKey({ params: { id: short.id } })).data.expiresAt).toBe(expiresAt);
  });
});

describe('revoking a key', () => {
  it('takes effect immediately, invalidates gateway caches, and is idempotent', async () => {
    const { owner } = await aTenant(service);
    const { data: key } = await owner.createApiKey({ body: { name: 'ci' } });
    for (let times = 0; times < 2; times++) {
      const reply = await owner.revokeApiKey({ params: { id: key.id } });
      expect([reply.status, reply.data.status, reply.data.version]).toEqual([200, 'revoked', 2]);
    }
    expect((await resolve(key.fullKey)).status).toBe(404);
    await until('the gateways are notified', () =>
      invalidations.some((one) => (one as { keyId?: number }).keyId === Number(key.id)),
    );
    expect((await owner.updateApiKey({ params: { id: key.id }, body: { name: 'again' } })).body.code).toBe(
      'key_not_active',
    );
  });

  it('works without delay while Redis is unavailable', async () => {
    const alone = await startIdentity({ REDIS_URL: 'redis://127.0.0.1:1' });
    try {
      const { owner } = await aTenant(alone);
      const { data: key } = await owner.createApiKey({ body: { name: 'ci' } });
      const began = Date.now();
      expect((await owner.revokeApiKey({ params: { id: key.id } })).status).toBe(200);
      // Waiting for Redis would take until the connection is restored.
      expect(Date.now() - began).toBeLessThan(5_000);
    } finally {
      await alone.close();
    }
  });
});

it('lists keys by their creator', async () => {
  const { owner, addUser, as } = await aTenant(service);
  const admin = await addUser('admin');
  await owner.createApiKey({ body: { name: 'theirs' } });
  const { data: key } = await as(admin.id).createApiKey({ body: { name: 'mine' } });
  const { data } = await owner.listApiKeys({ query: { createdBy: admin.id } });
  expect(data.map(({ id }: { id: string }) => id)).toEqual([key.id]);
});

it('lists keys by environment and status', async () => {
  const { owner } = await aTenant(service);
  for (const [name, environment] of [
    ['a', 'live'],
    ['b', 'sandbox'],
    ['c', 'live'],
  ])
    await owner.createApiKey({ body: { name, environment } });
  const names = async (query: Record<string, string>) =>
    (await owner.listApiKeys({ query: { sort: 'name', ...query } })).data.map(({ name }: { name: string }) => name);
  const [{ id }] = (await owner.listApiKeys({ query: { search: 'c' } })).data;
  await owner.revokeApiKey({ params: { id } });
  expect([
    await names({ environment: 'live' }),
    await names({ status: 'active' }),
    await names({ status: 'revoked' }),
  ]).toEqual([['a', 'c'], ['a', 'b'], ['c']]);
});

describe('a sandbox key', () => {
  const body = { name: 'ladder', environment: 'live' };

  it('can read data shared by live and sandbox, and cannot create a live key', async () => {
    const { as, user, owner } = await aTenant(service);
    const sandbox = as(user.id, ['*'], { type: 'key', keyId: 1, environment: 'sandbox' });
    const reply = await sandbox.createApiKey({ body });
    expect([reply.status, reply.body.code, reply.body.message]).toEqual([
      403,
      'live_key_needed',
      'A sandbox key cannot change data that live and sandbox share; use a live key',
    ]);
    expect([(await sandbox.getMe()).status, (await sandbox.listUsers()).status]).toEqual([200, 200]);
    expect((await owner.listApiKeys()).data).toEqual([]);
  });

  it('is restricted, unlike a user in the sandbox, who keeps their live permissions', async () => {
    const { as, user } = await aTenant(service);
    expect((await as(user.id, ['*'], { environment: 'sandbox' }).createApiKey({ body })).status).toBe(201);
  });
});
