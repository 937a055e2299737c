import { aTenant, fleet, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

async function aSubscription() {
  const tenant = await aTenant(service);
  const { data } = await tenant.owner.listSubscriptions();
  return { ...tenant, params: { id: data[0].id as string }, subscription: data[0] };
}

describe('the usage of a subscription', () => {
  const month = new Date().toISOString().slice(0, 7);
  const today = new Date().toISOString().slice(0, 10);
  const record = (tenantId: number, batch: number, calls: number, ofMonth = month) =>
    fleet(service).recordUsage({
      body: { gateway: `usage-${tenantId}`, batch, calls: [{ tenantId: `${tenantId}`, month: ofMonth, calls }] },
    });

  it('returns recorded calls per day and the projected total', async () => {
    const { owner, params, tenantId, subscription } = await aSubscription();
    await record(tenantId, 1, 30);
    await record(tenantId, 2, 20);
    await record(tenantId, 2, 20);
    const { status, data } = await owner.getSubscriptionUsage({ params });
    expect([status, data.period, data.apiCalls]).toEqual([
      200,
      { start: subscription.currentPeriodStart, end: subscription.currentPeriodEnd },
      { used: 50, limit: 1_000, remaining: 950, percent: 5, projected: expect.any(Number) },
    ]);
    expect(data.apiCalls.projected).toBeGreaterThanOrEqual(50);
    expect(data.series[0]).toMatchObject({ date: `${month}-01`, start: `${month}-01T00:00:00.000Z` });
    expect(data.series.at(-1)).toMatchObject({ date: today, calls: 50 });
    expect(data.breakdown).toEqual([]);
    const sum = data.series.reduce((all: number, { calls }: { calls: number }) => all + calls, 0);
    expect(sum).toBe(50);
  });

  it('uses the count of the gateway for requests with a key', async () => {
    const { params, tenantId } = await aSubscription();
    await record(tenantId, 1, 30);
    const key = service.as({ tenantId, usage: 33, can: ['billing:read'] });
    expect((await key.getSubscriptionUsage({ params })).data.apiCalls).toMatchObject({ used: 33, remaining: 967 });
  });

  it('counts late calls on the last day of their month, and early calls on the first', async () => {
    const { tenantId } = await aSubscription();
    await record(tenantId, 1, 7, '2020-02');
    await record(tenantId, 2, 8, '2099-03');
    const rows = await service.sql('SELECT day, calls::int FROM usage_day WHERE owner_tenant_id = $1 ORDER BY day', [
      tenantId,
    ]);
    expect(rows).toEqual([
      { day: '2020-02-29', calls: 7 },
      { day: '2099-03-01', calls: 8 },
    ]);
  });

  it('has no percentage without a limit', async () => {
    const { owner, params, tenantId } = await aSubscription();
    await fleet(service).setTenantPlan({ body: { tenantId: `${tenantId}`, plan: 'enterprise' } });
    const { apiCalls } = (await owner.getSubscriptionUsage({ params })).data;
    expect(apiCalls).toEqual({ used: 0, limit: null, remaining: null, percent: null, projected: 0 });
  });
});

describe('the usage by hour, key, route and user', () => {
  const hourMs = 3_600_000;
  const hour = Math.floor(Date.now() / hourMs);
  const [listing, creating] = ['GET /v1/leads', 'POST /v1/leads'];

  async function aTenantWithCalls() {
    const tenant = await aSubscription();
    const { tenantId, owner, user, params } = tenant;
    const { data: key } = await owner.createApiKey({ body: { name: 'Importer', environment: 'live' } });
    const [keyId, userId] = [Number(key.id), Number(user.id)];
    const report = (gateway: string, parts: [hour: number, operation: string, calls: number, unknown?: true][]) =>
      fleet(service).reportUsage({
        body: {
          gateway: `${gateway}-${tenantId}`,
          served: [],
          parts: parts.map(([at, operation, calls, isUnknown]) => ({
            tenantId: `${tenantId}`,
            hour: at,
            operation,
            calls,
            keyId: isUnknown ? 0 : keyId,
            userId: isUnknown ? 0 : userId,
          })),
        },
      });
    const from = new Date((hour - 3) * hourMs).toISOString();
    const read = async (query: object) =>
      owner.getSubscriptionUsage({ params, query: { from, ...query } as Record<string, string> });
    return { ...tenant, key, report, read };
  }

  it('is the sum of the highest numbers of each gateway, with repeated and late reports', async () => {
    const { report, read } = await aTenantWithCalls();
    await report('a', [
      [hour, listing, 5],
      [hour - 2, listing, 1],
    ]);
    await report('a', [[hour, listing, 7]]);
    await report('a', [[hour, listing, 5]]);
    await report('b', [[hour, creating, 3]]);
    const { data } = await read({ granularity: 'hour' });
    expect(data.series.map(({ calls }: { calls: number }) => calls)).toEqual([0, 1, 0, 10]);
    expect(data.series[3].start).toBe(new Date(hour * hourMs).toISOString());
  });

  it('is grouped by key, route and user, with names, shares and the rest', async () => {
    const { report, read, key, user, as, params } = await aTenantWithCalls();
    await report('a', [
      [hour, listing, 6],
      [hour, creating, 2],
      [hour, '', 2, true],
    ]);
    const none = { keyId: null, route: null, userId: null, name: null };
    const rest = { ...none, calls: 2, percent: 20 };
    const groups = async (groupBy: string) => (await read({ groupBy })).data.breakdown;
    expect(await groups('route')).toEqual([
      { ...none, route: listing, name: listing, calls: 6, percent: 60 },
      { ...none, route: creating, name: creating, calls: 2, percent: 20 },
      rest,
    ]);
    expect(await groups('key')).toEqual([{ ...none, keyId: key.id, name: 'Importer', calls: 8, percent: 80 }, rest]);
    expect(await groups('user')).toEqual([
      { ...none, userId: user.id, name: 'Ada Lovelace', calls: 8, percent: 80 },
      rest,
    ]);
    const biller = as(user.id, ['billing:read']);
    const { data } = await biller.getSubscriptionUsage({ params, query: { groupBy: 'key' } });
    expect(data.breakdown[0]).toMatchObject({ keyId: key.id, name: null });
  });

  it('covers only the tenant, and at most a bounded range', async () => {
    const { report, read } = await aTenantWithCalls();
    const other = await aTenantWithCalls();
    await report('a', [[hour, listing, 5]]);
    expect((await other.read({ groupBy: 'route' })).data.breakdown).toEqual([]);
    const ago = (days: number) => new Date(Date.now() - days * 24 * hourMs).toISOString();
    for (const [query, field] of [
      [{ from: ago(100), groupBy: 'key' }, 'from'],
      [{ from: ago(40), granularity: 'hour' }, 'from'],
      [{ from: ago(400) }, 'from'],
      [{ from: ago(1), to: ago(3) }, 'to'],
      [{ groupBy: 'colour' }, 'groupBy'],
    ] as const) {
      const { status, body } = await read(query);
      expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
    }
    expect((await read({ from: ago(300) })).data.series).toHaveLength(301);
  });

  it('is removed after 90 days', async () => {
    const { report, tenantId } = await aTenantWithCalls();
    await report('a', [
      [hour - 91 * 24, listing, 5],
      [hour - 89 * 24, listing, 5],
    ]);
    await service.housekeep();
    const rows = await service.sql('SELECT calls FROM usage_hour WHERE owner_tenant_id = $1', [tenantId]);
    expect(rows).toHaveLength(1);
  });
});
