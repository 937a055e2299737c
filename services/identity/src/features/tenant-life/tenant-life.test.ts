import { randomUUID } from 'node:crypto';
import { dataServices } from '@tandem/identity-contract';
import { until } from '@tandem/testing';
import { anonymous, aTenant, fleet, password, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

type Tenant = Awaited<ReturnType<typeof aTenant>>;
const call = (
  tenant: { tenantId: number },
  operation: 'suspendTenant' | 'resumeTenant' | 'deleteTenant' | 'showTenant',
  more = {},
) => fleet(service)[operation]({ body: { tenantId: `${tenant.tenantId}`, ...more } });
const eventOf = (name: string, tenantId: number) =>
  until(`${name} arrives`, () => service.events.find((one) => one.name === name && one.tenantId === tenantId));
const signIn = ({ email }: Tenant, secret = password) =>
  anonymous(service).login({ body: { email, password: secret } });

async function answer(tenantId: number, name: string) {
  const event = {
    id: randomUUID(),
    name: 'tenant.data_removed',
    tenantId,
    environment: 'live',
    occurredAt: new Date().toISOString(),
    action: 'tenant.remove_data',
    target: { type: 'tenant', id: tenantId },
    audited: false,
    caller: { type: 'system', name, requestId: 'req_1' },
    data: { tenantId: `${tenantId}`, service: name, rows: 5 },
    record: { id: `${tenantId}` },
  };
  await service.publish(event.name, event, event.id);
}

describe('suspending a tenant', () => {
  it('rejects sign-in with tenant_suspended, marks its credentials, and is undone by resuming', async () => {
    const tenant = await aTenant(service);
    const { data: session } = await signIn(tenant);
    const { sessionId } = (await eventOf('user.logged_in', tenant.tenantId)).data as { sessionId: string };
    expect(session.accessToken).toBeDefined();
    const resolve = async () =>
      (await fleet(service).resolveSession({ body: { tenantId: `${tenant.tenantId}`, sessionId } })).data;
    expect((await resolve()).suspended).toBeUndefined();

    const { status, data } = await call(tenant, 'suspendTenant');
    expect([status, data]).toMatchObject([200, { status: 'suspended', deletion: null }]);
    expect(await resolve()).toMatchObject({ suspended: true, permissions: [] });
    const refused = await signIn(tenant);
    expect([refused.status, (refused.body as { code?: string }).code]).toEqual([403, 'tenant_suspended']);
    expect((await signIn(tenant, 'another password')).status).toBe(401);
    const event = await eventOf('tenant.suspended', tenant.tenantId);
    expect(event.changes).toEqual({ status: { from: 'active', to: 'suspended' } });

    const repeated = await call(tenant, 'suspendTenant', { reason: 'Invoice 42 is not paid' });
    expect(repeated.data).toMatchObject({
      status: 'suspended',
      suspension: { since: data.suspension?.since, reason: 'Invoice 42 is not paid' },
      subscription: { status: 'active', endsAt: null },
    });
    expect((await call(tenant, 'resumeTenant')).data).toMatchObject({ status: 'active', suspension: null });
    await eventOf('tenant.resumed', tenant.tenantId);
    expect((await signIn(tenant)).status).toBe(200);
    expect((await resolve()).permissions).toEqual(['*']);
  });

  it('refuses refresh tokens with the same words, and they work again when it is resumed', async () => {
    const tenant = await aTenant(service);
    const refresh = () => anonymous(service).refreshSession({ body: { refreshToken: tenant.refreshToken } });
    const browserSession = () =>
      anonymous(service).createBrowserSession({ body: { refreshToken: tenant.refreshToken } });
    await call(tenant, 'suspendTenant');
    for (const { status, body } of [await refresh(), await refresh(), await browserSession()])
      expect([status, body.code]).toEqual([403, 'tenant_suspended']);
    await call(tenant, 'resumeTenant');
    const first = await refresh();
    expect(first.status).toBe(200);
    // Nor is a token that was just used exchanged again.
    await call(tenant, 'suspendTenant');
    expect((await refresh()).body.code).toBe('tenant_suspended');
    await call(tenant, 'resumeTenant');
    expect((await refresh()).data.refreshToken).toBe(first.data.refreshToken);
  });

  it('answers 404 for a tenant that does not exist', async () => {
    for (const operation of ['suspendTenant', 'resumeTenant', 'deleteTenant', 'showTenant'] as const)
      expect((await call({ tenantId: 9_999_999 }, operation)).status).toBe(404);
  });
});

describe('deleting a tenant', () => {
  it('waits 30 days, in which it can be resumed', async () => {
    const tenant = await aTenant(service);
    const { data } = await call(tenant, 'deleteTenant');
    expect(data).toMatchObject({ status: 'suspended', deletion: { state: 'scheduled' } });
    const days = (Date.parse(data.deletion.dueAt) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect((await call(tenant, 'resumeTenant')).data).toMatchObject({ status: 'active', deletion: null });
    expect((await signIn(tenant)).status).toBe(200);
  });

  it('removes everything once all services have removed theirs, and keeps a proof', async () => {
    const tenant = await aTenant(service);
    const other = await aTenant(service);
    const { tenantId } = tenant;
    await tenant.addUser('member');
    await tenant.owner.createTeam({ body: { name: 'Sales' } });
    await tenant.owner.createApiKey({ body: { name: 'Key', environment: 'live' } });
    await call(tenant, 'deleteTenant', { graceDays: 0 });
    await eventOf('tenant.deletion_due', tenantId);
    const { data: removing } = await until('the removal has begun', async () => {
      const reply = await call(tenant, 'showTenant');
      return reply.data.deletion.state === 'removing' && reply;
    });
    expect(removing.deletion.waitingFor).toEqual([...dataServices]);
    expect((await call(tenant, 'resumeTenant')).status).toBe(409);
    for (const name of dataServices.slice(1)) await answer(tenantId, name);
    await until(
      'one service is missing',
      async () => (await call(tenant, 'showTenant')).data.deletion.waitingFor.length === 1,
    );
    expect((await call(tenant, 'showTenant')).data.status).toBe('suspended');
    // An answer that arrives twice counts once.
    for (const _ of [1, 2]) await answer(tenantId, dataServices[0]);

    const { data: gone } = await until('the tenant is gone', async () => {
      const reply = await call(tenant, 'showTenant');
      return reply.data.deletion.state === 'completed' && reply;
    });
    expect(gone).toMatchObject({ name: null, status: 'deleted' });
    expect(gone.deletion.removed.map((one: { service: string }) => one.service).sort()).toEqual(
      [...dataServices, 'identity'].sort(),
    );
    expect((await call(tenant, 'resumeTenant')).status).toBe(409);
    expect((await signIn(tenant)).status).toBe(401);
    await until('no row is left', async () => (await leftOf(tenantId)).length === 0);
    const scope = { tenantId, environment: 'live' } as never;
    expect(await service.sqlWithin(scope, 'SELECT state FROM platform.tenant_state')).toEqual([{ state: 'removed' }]);
    expect((await signIn(other)).status).toBe(200);
    // The id stays taken, without the name.
    const [entry] = await service.sql('SELECT id, slug FROM tenant_directory WHERE id = $1', [tenantId]);
    expect([Number(entry?.id), entry?.slug]).toEqual([tenantId, `deleted-${tenantId}`]);
  });
});

/** Tables that still have rows of a tenant. */
async function leftOf(tenantId: number): Promise<string[]> {
  const tables = await service.sql(`SELECT format('%I.%I', nspname, relname) AS name, attname FROM pg_class
    JOIN pg_namespace ON pg_namespace.oid = relnamespace JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE nspname IN ('public', 'platform') AND relkind = 'r' AND attname IN ('tenant_id', 'owner_tenant_id')
      -- The state is kept, so that late events are dropped.
      AND relname NOT IN ('outbox', 'tenant_state')`);
  const found: string[] = [];
  for (const { name, attname } of tables) {
    const rows = await service.sqlWithin(
      { tenantId, environment: 'live' } as never,
      `SELECT 1 FROM ${name} WHERE ${attname} = ${tenantId}`,
    );
    if (rows.length) found.push(`${name}: ${rows.length}`);
  }
  return found;
}
