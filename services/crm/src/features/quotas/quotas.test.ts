import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, teams } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCrm({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

type Api = ReturnType<typeof service.as>;

const { seller, both } = members;

describe('the quotas of a period that has ended', () => {
  it('are not created, changed or deleted', async () => {
    const api = service.as();
    const created = await api.createQuota({ body: { period: '2020-01', amount: 5 } });
    const { data } = await api.createQuota({ body: { period: '2031-01', amount: 5 } });
    await service.sqlWithin(api.caller, `UPDATE quota SET period = '2020-Q1'`);
    const params = { id: data.id };
    const replies = [
      created,
      await api.updateQuota({ params, body: { amount: 6 } }),
      await api.deleteQuota({ params }),
    ];
    expect(replies.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([409, 'period_closed']));
    expect(replies.map(({ body }) => body.errors)).toEqual(
      ['2020-01', '2020-Q1', '2020-Q1'].map((period) => [
        { field: 'period', message: `${period} has ended; use a current or later period` },
      ]),
    );
    expect((await api.getQuota({ params })).data).toMatchObject({ amount: 5, version: 1 });
  });
});

it('quotas are listed by period, owner and team; a holder has one for a period', async () => {
  const api = service.as();
  const create = (body: object) => api.createQuota({ body: { period: '2031-01', amount: 5, ...body } });
  for (const [field, holder] of [
    ['period', {}],
    ['ownerId', { ownerId: seller }],
    ['teamId', { teamId: teams.sales }],
    ['period', { period: '2031-02' }],
  ] as const) {
    expect((await create(holder)).status).toBe(201);
    const message = expect.stringMatching(/^The (owner|team|tenant) has the quota .+ for 2031-0[12]; change that one$/);
    expect((await create(holder)).body).toMatchObject({ code: 'quota_taken', errors: [{ field, message }] });
  }
  const listed = async (query: Record<string, string>) => (await api.listQuotas({ query })).data.length;
  expect([await listed({}), await listed({ period: '2031-01' }), await listed({ period: '2031-02' })]).toEqual([
    4, 3, 1,
  ]);
  expect([await listed({ ownerId: seller }), await listed({ teamId: teams.sales })]).toEqual([1, 1]);
});

describe('a forecast', () => {
  const body = { period: '2031-05', amount: 80 };
  const as = (can: string[], tenant: Api = service.as()) =>
    service.as({ tenantId: tenant.caller.tenantId as number, userId: Number(seller), can });

  it.each(['own', 'team'])('is submitted by callers who access %s deals for themselves only', async (reach) => {
    const caller = as([`opportunities:write:${reach}`]);
    const other = await caller.submitForecast({ body: { ...body, ownerId: both } });
    expect([other.status, other.body.errors?.[0]?.field]).toEqual([422, 'ownerId']);
    expect((await caller.submitForecast({ body })).data.ownerId).toBe(seller);
    expect((await caller.submitForecast({ body: { ...body, ownerId: seller } })).status).toBe(201);
  });

  it('is listed by period, owner and category, for narrowed callers those about themselves or of their own', async () => {
    const api = service.as();
    const submit = (fields: object) => api.submitForecast({ body: { ...body, ...fields } });
    await submit({ ownerId: seller });
    await submit({ ownerId: both, category: 'best_case' });
    await submit({ ownerId: both, period: '2031-06' });
    const listed = async (by: Api, query: Record<string, string> = {}) =>
      (await by.listForecastSubmissions({ query })).data.length;
    expect([await listed(api, { period: '2031-05' }), await listed(api, { ownerId: both })]).toEqual([2, 2]);
    expect(await listed(api, { category: 'best_case' })).toBe(1);
    expect(await listed(as(['opportunities:read:own'], api))).toBe(1);
  });

  it('is submitted for a colleague by callers who access all deals', async () => {
    const { status, data } = await as(['opportunities:write']).submitForecast({ body: { ...body, ownerId: both } });
    expect([status, data.ownerId]).toEqual([201, both]);
  });
});

it('submitted forecasts are compared with what each owner won in each ended period, in their currency', async () => {
  const api = service.as();
  await api.setExchangeRates({ body: { rates: [{ currency: 'USD', rate: 0.5 }] } });
  const win = async (ownerId: string, value: number, closedAt: string) => {
    const { data } = await api.createOpportunity({ body: { name: 'Rollout', value, currency: 'EUR', ownerId } });
    await api.winOpportunity({ params: { id: data.id }, body: {} });
    await service.sqlWithin(api.caller, 'UPDATE opportunity SET closed_at = $2 WHERE id = $1', [data.id, closedAt]);
  };
  await win(seller, 40, '2020-01-10T00:00:00Z');
  await win(seller, 5, '2020-02-10T00:00:00Z');
  await win(both, 70, '2020-01-20T00:00:00Z');
  const submit = async (ownerId: string, period: string, currency: string) => {
    const body = { period: '2031-05', amount: 80, ownerId, currency };
    const { data } = await api.submitForecast({ body });
    await service.sqlWithin(api.caller, 'UPDATE forecast_submission SET period = $2 WHERE id = $1', [data.id, period]);
  };
  await submit(seller, '2020-01', 'EUR');
  await submit(seller, '2020-Q1', 'USD');
  await submit(both, '2020-01', 'EUR');
  await submit(both, '2020-02', 'EUR');
  await submit(both, '2031-05', 'EUR');
  const { data } = await api.listForecastSubmissions({ query: { sort: 'createdAt' } });
  expect(data.map((one: { actual: number; accuracy: number }) => [one.actual, one.accuracy])).toEqual([
    [40, 0.5],
    [90, 0.89],
    [70, 0.88],
    [0, 0],
    [null, null],
  ]);
});
