import { identity } from '@tandem/identity-contract';
import { everyOperation, until } from '@tandem/testing';
import { anonymous, aTenant, fleet, password, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

everyOperation(identity, () => service, { recordless: ['getEntitlement'] });

const signUp = (owner: object = {}, name = 'Analytical Engines') => ({
  body: { name, owner: { email: 'ada@example.com', password, firstName: 'Ada', lastName: 'Lovelace', ...owner } },
});

describe('sign-up', () => {
  it('creates a tenant on the Free plan with a signed-in owner', async () => {
    const { tenant, user, accessToken, refreshToken, owner } = await aTenant(service);
    expect(tenant).toMatchObject({
      plan: 'free',
      status: 'active',
      settings: { timezone: 'UTC', locale: 'en', currency: 'USD' },
    });
    expect(user).not.toHaveProperty('passwordHash');
    expect([accessToken, refreshToken]).toEqual([expect.stringMatching(/^ey/), expect.stringMatching(/^[\w-]{43}$/)]);
    const me = await owner.getMe();
    expect(me.data).toMatchObject({ user: { id: user.id }, tenant: { id: tenant.id }, role: { name: 'owner' } });
  });

  it('assigns unique slugs', async () => {
    const slugs = [];
    for (const email of ['a@example.com', 'b@example.com'])
      slugs.push((await anonymous(service).createTenant(signUp({ email }, 'Müller & Söhne'))).data.tenant.slug);
    expect(slugs).toEqual(['muller-sohne', expect.stringMatching(/^muller-sohne-[0-9a-z]+$/)]);
  });

  it('emits events with the new owner as actor', async () => {
    const { tenantId, user } = await aTenant(service);
    const events = await until('both events arrive', () => {
      const found = service.events.filter((event) => event.tenantId === tenantId && event.name.endsWith('.created'));
      return found.length === 2 && found;
    });
    expect(events.map(({ name, caller }) => [name, caller.type, caller.userId, caller.name])).toEqual(
      ['tenant.created', 'user.created'].map((name) => [name, 'user', Number(user.id), 'Ada Lovelace']),
    );
    expect(JSON.stringify(events)).not.toMatch(/password|argon2|refreshToken/i);
  });

  it('reports every invalid field and creates nothing', async () => {
    const { status, body } = await anonymous(service).createTenant(signUp({ email: 'nobody', password: 'short' }, ' '));
    expect([status, body.errors?.map(({ field }) => field).sort()]).toEqual([
      422,
      ['name', 'owner.email', 'owner.password'],
    ]);
  });
});

describe('sign-up with an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'sign-up-1' };
  const tenantsOf = async (name: string) =>
    (await fleet(service).listTenants({ body: {} })).data.filter((tenant: { name: string }) => tenant.name === name);

  it('replays the first response from any IP address and creates one tenant', async () => {
    const request = { ...signUp({}, 'Once'), headers };
    const first = await anonymous(service).createTenant(request);
    const again = await anonymous(service).createTenant(request);
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.body).toEqual(first.body);
    // The gateway needs it to encode the ids of the response.
    expect(again.headers['x-ctx-tenant']).toBe(first.data.tenant.id);
    expect(await tenantsOf('Once')).toHaveLength(1);
  });

  it('does not replay the response to a caller with another password or e-mail address', async () => {
    const { data: first } = await anonymous(service).createTenant({ ...signUp({}, 'Guessed'), headers });
    for (const other of [{ password: `${password}!` }, { email: 'eve@example.com' }]) {
      const {
        status,
        data,
        headers: got,
      } = await anonymous(service).createTenant({ ...signUp(other, 'Guessed'), headers });
      expect([status, got['idempotent-replayed']]).toEqual([201, undefined]);
      expect(data.tenant.id).not.toBe(first.tenant.id);
      expect(data.refreshToken).not.toBe(first.refreshToken);
    }
    expect(await tenantsOf('Guessed')).toHaveLength(3);
  });

  it('creates one tenant for twenty concurrent requests', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => anonymous(service).createTenant({ ...signUp({}, 'Twenty'), headers })),
    );
    const fresh = replies.filter((reply) => reply.status === 201 && !reply.headers['idempotent-replayed']);
    expect(fresh).toHaveLength(1);
    expect(new Set(replies.map(({ status }) => status)).difference(new Set([201, 409]))).toEqual(new Set());
    expect(await tenantsOf('Twenty')).toHaveLength(1);
  });

  it('stores neither password nor tokens in plain text', async () => {
    const { data } = await anonymous(service).createTenant({ ...signUp({}, 'Sealed'), headers });
    // Reads without row-level security, as from a copy of the database.
    await service.sql('ALTER TABLE platform.idempotency_key NO FORCE ROW LEVEL SECURITY');
    const rows = await service.sql('SELECT * FROM platform.idempotency_key');
    expect(rows.map((row) => Number(row.tenant_id))).toContain(0);
    for (const secret of [password, data.refreshToken, data.accessToken, 'ada@example.com'])
      expect(JSON.stringify(rows)).not.toContain(secret);
  });
});

describe('a tenant', () => {
  it('is visible to its own users only', async () => {
    const [mine, theirs] = [await aTenant(service), await aTenant(service)];
    expect((await mine.owner.getTenant({ params: { id: mine.tenantId } })).status).toBe(200);
    expect((await mine.owner.getTenant({ params: { id: theirs.tenantId } })).status).toBe(404);
  });

  it('updates name and individual settings with If-Match', async () => {
    const { owner } = await aTenant(service);
    const changed = await owner.updateCurrentTenant({
      body: { name: 'Difference Engines', settings: { timezone: 'Europe/London' } },
      headers: { 'if-match': '"1"' },
    });
    expect(changed.data).toMatchObject({
      name: 'Difference Engines',
      version: 2,
      settings: { timezone: 'Europe/London', locale: 'en', currency: 'USD' },
    });
    expect((await owner.updateCurrentTenant({ body: { name: 'Late' }, headers: { 'if-match': '"1"' } })).status).toBe(
      412,
    );
    const wrong = await owner.updateCurrentTenant({
      body: { settings: { timezone: 'Mars/Base', locale: 'x_y', currency: 'euro' } },
    });
    expect(wrong.body.errors?.map(({ field }) => field)).toEqual([
      'settings.timezone',
      'settings.locale',
      'settings.currency',
    ]);
  });

  it('changes plan through internal services only, which then see the new limits', async () => {
    const { tenantId, owner } = await aTenant(service);
    const operators = fleet(service);
    expect((await operators.setTenantPlan({ body: { tenantId: `${tenantId}`, plan: 'pro' } })).data).toEqual({
      plan: 'pro',
      monthlyCalls: 100_000,
      ratePerMinute: 1_000,
      burst: 100,
    });
    expect((await owner.getCurrentTenant()).data.plan).toBe('pro');
    const own = { plan: 'enterprise', monthlyCalls: 7, ratePerMinute: 8, burst: 0 };
    expect((await operators.setTenantPlan({ body: { tenantId: `${tenantId}`, ...own } })).data).toEqual(own);
    const refused = await operators.setTenantPlan({ body: { tenantId: `${tenantId}`, plan: 'pro', burst: 5 } });
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, 'burst']);
    expect((await operators.setTenantPlan({ body: { tenantId: '999999', plan: 'pro' } })).status).toBe(404);
    expect((await owner.setTenantPlan({ body: { tenantId: `${tenantId}`, plan: 'team' } })).status).toBe(403);
  });

  it('is listed by listTenants', async () => {
    const { tenantId } = await aTenant(service);
    const { data } = await fleet(service).listTenants({ body: { after: `${tenantId - 1}` } });
    expect(data[0]).toEqual({ id: `${tenantId}`, name: 'Analytical Engines', plan: 'free', status: 'active' });
  });
});

it('lists the five plans without credentials', async () => {
  const { data } = await anonymous(service).listPlans();
  expect(data.map((plan: { code: string; monthlyCalls: number | null }) => [plan.code, plan.monthlyCalls])).toEqual([
    ['free', 1_000],
    ['starter', 10_000],
    ['pro', 100_000],
    ['team', 500_000],
    ['enterprise', null],
  ]);
  expect(data[1]).toMatchObject({
    monthlyPrice: 29,
    currency: 'USD',
    person: { ratePerMinute: 600, burst: 100 },
    features: expect.arrayContaining(['webhooks', 'custom_roles']),
  });
  expect(data[4].monthlyPrice).toBeNull();
  const days = data.map(({ engagementDays }: { engagementDays: number | null }) => engagementDays);
  expect(days).toEqual([90, 365, 730, 1_095, null]);
});
