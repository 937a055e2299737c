import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, teams } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

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

interface Deal {
  value: number;
  currency?: string;
  probability?: number;
  category?: string;
  closeAt?: string | null;
  ownerId?: string | null;
  teamId?: string;
  won?: string;
}

/** A deal with these values in its columns. */
async function aDeal(api: Api, { value, currency = 'EUR', ownerId = null, ...deal }: Deal): Promise<string> {
  const { data: lead } = await api.createLead({ body: aLead() });
  const { data } = await api.convertLead({ body: { leadId: lead.id, value, currency } });
  await service.sqlWithin(
    api.caller,
    `UPDATE opportunity SET probability = $2, forecast_category = $3, expected_close_at = $4, owner_id = $5, team_id = $6,
       status = $7, closed_at = $8, created_by = NULL WHERE id = $1`,
    [
      data.id,
      deal.probability ?? 50,
      deal.category ?? 'pipeline',
      deal.closeAt === undefined ? '2031-03-15T12:00:00Z' : deal.closeAt,
      ownerId,
      deal.teamId ?? null,
      deal.won ? 'won' : 'open',
      deal.won ?? null,
    ],
  );
  return data.id;
}

const march = { from: '2031-03-10T00:00:00Z', to: '2031-03-10T00:00:00Z' };

describe('the forecast', () => {
  it('sums open deals by their close date and won deals by the date they were won, per month', async () => {
    const api = service.as();
    await aDeal(api, { value: 100.1, category: 'commit', probability: 90 });
    await aDeal(api, { value: 50.05, category: 'best_case', probability: 33 });
    await aDeal(api, { value: 70, category: 'omitted', probability: 10 });
    await aDeal(api, { value: 1000, won: '2031-03-01T00:00:00Z', closeAt: '2031-01-01T00:00:00Z' });
    await aDeal(api, { value: 9, closeAt: '2031-04-02T00:00:00Z' });
    await aDeal(api, { value: 4, closeAt: null });
    const { data } = await api.getForecast({ query: { from: march.from, to: '2031-04-10T00:00:00Z' } });
    expect(data.buckets).toMatchObject([
      {
        period: '2031-03',
        count: 4,
        openValue: 220.15,
        weightedValue: 106.61,
        commit: 100.1,
        bestCase: 50.05,
        closedWon: 1000,
        quota: null,
        gap: null,
      },
      { period: '2031-04', count: 1, openValue: 9, closedWon: 0 },
      { kind: 'earlier', period: null, from: null, count: 0, openValue: 0 },
      { kind: 'undated', period: null, from: null, count: 1, openValue: 4 },
    ]);
    expect(data).toMatchObject({ currency: 'EUR', rates: [], unconverted: [] });
  });

  it('begins months in the time zone of the tenant', async () => {
    const api = service.as();
    const { data } = await api.getForecast({ query: march });
    const [bucket] = data.buckets;
    const offset = data.timezone === 'UTC' ? '00:00' : '23:00';
    expect(bucket?.from).toMatch(new RegExp(`T${offset}:00.000Z$`));
    const before = new Date(new Date(bucket?.from as string).getTime() - 1).toISOString();
    await aDeal(api, { value: 1, closeAt: bucket?.from as string });
    await aDeal(api, { value: 2, closeAt: before });
    expect((await api.getForecast({ query: march })).data.buckets[0]).toMatchObject({ openValue: 1, count: 1 });
  });

  it('converts other currencies by the rates of the tenant, and names what it could not convert', async () => {
    const api = service.as();
    await aDeal(api, { value: 100, currency: 'USD', probability: 100 });
    await aDeal(api, { value: 1000, currency: 'JPY' });
    await aDeal(api, { value: 10 });
    const rates = [{ currency: 'USD', rate: 0.925 }];
    expect((await api.setExchangeRates({ body: { rates } })).body).toMatchObject({ data: { base: 'EUR', rates } });
    const { data } = await api.getForecast({ query: march });
    expect(data.buckets[0]).toMatchObject({ count: 2, openValue: 102.5, weightedValue: 97.5 });
    expect(data).toMatchObject({ rates, unconverted: [{ currency: 'JPY', count: 1, value: 1000 }] });
    const inDollars = await api.getForecast({ query: { ...march, currency: 'USD' } });
    expect(inDollars.data.buckets[0]?.openValue).toBe(110.81);
    const refused = await api.setExchangeRates({ body: { rates: [{ currency: 'EUR', rate: 2 }] } });
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, 'rates.0.currency']);
  });

  it('groups by owner, team or stage, with the quotas of quarters or of their months', async () => {
    const api = service.as();
    const { seller } = members;
    await aDeal(api, { value: 100, ownerId: seller, teamId: teams.sales });
    await aDeal(api, { value: 40, ownerId: seller, won: '2031-02-02T00:00:00Z' });
    await aDeal(api, { value: 7 });
    const quota = (body: Record<string, unknown>) => api.createQuota({ body: { amount: 30, ...body } as never });
    expect((await quota({ period: '2031-01', ownerId: seller })).status).toBe(201);
    await quota({ period: '2031-02', ownerId: seller });
    await quota({ period: '2031-Q1', teamId: teams.sales, amount: 500 });
    const forecastBy = async (groupBy: 'owner' | 'team' | 'stage') =>
      (await api.getForecast({ query: { ...march, period: 'quarter', groupBy } })).data.buckets[0];
    expect(await forecastBy('owner')).toMatchObject({ period: '2031-Q1', openValue: 107, quota: 500, gap: 460 });
    const byKey = (one: { ownerId?: string | null }) => String(one.ownerId);
    expect(
      (await forecastBy('owner'))?.groups.sort((a: object, b: object) => byKey(a).localeCompare(byKey(b))),
    ).toMatchObject([
      { ownerId: seller, openValue: 100, closedWon: 40, quota: 60, gap: 20 },
      { ownerId: null, openValue: 7, quota: null, gap: null },
    ]);
    expect(
      (await forecastBy('team'))?.groups.find(({ teamId }: { teamId?: string }) => teamId === teams.sales),
    ).toMatchObject({
      openValue: 100,
      quota: 500,
    });
    expect((await forecastBy('stage'))?.groups).toMatchObject([{ openValue: 107, closedWon: 40, quota: null }]);
  });

  it('has only the deals that a narrowed caller can read, and at most 24 periods', async () => {
    const api = service.as();
    const { seller } = members;
    await aDeal(api, { value: 100, ownerId: seller });
    await aDeal(api, { value: 7 });
    const tenantId = api.caller.tenantId as number;
    const narrowed = service.as({ tenantId, userId: Number(seller), can: ['opportunities:read:own'] });
    expect((await narrowed.getForecast({ query: march })).data.buckets[0]).toMatchObject({ openValue: 100 });
    expect((await narrowed.getOpportunitySummary()).data.total).toMatchObject({ count: 1, value: 100 });
    const sandbox = service.as({ tenantId, environment: 'sandbox' });
    expect((await sandbox.getForecast({ query: march })).data.buckets[0]).toMatchObject({ count: 0 });
    const long = await api.getForecast({ query: { from: march.from, to: '2034-01-01T00:00:00Z' } });
    expect([long.status, long.body.errors?.[0]?.field]).toEqual([422, 'to']);
    expect((await api.getForecast({ query: { from: march.to, to: '2031-03-09T00:00:00Z' } })).status).toBe(422);
  });
});

it('the summary sums deals per stage in the order of the stages, with the filters of the list', async () => {
  const api = service.as();
  const { data: stages } = await api.listStatuses({ query: { entityType: 'opportunity' } });
  const won = stages.find(({ code }: { code: string }) => code === 'won');
  await aDeal(api, { value: 10.5, probability: 33 });
  await aDeal(api, { value: 20, probability: 10 });
  const id = await aDeal(api, { value: 5, probability: 100, won: '2031-03-01T00:00:00Z' });
  await service.sqlWithin(api.caller, 'UPDATE opportunity SET stage_id = $2 WHERE id = $1', [id, won?.id]);
  const { data } = await api.getOpportunitySummary();
  expect(data.stages).toMatchObject([
    { stage: 'prospecting', status: 'open', count: 2, value: 30.5, weightedValue: 5.47 },
    { stage: 'won', status: 'won', count: 1, value: 5, weightedValue: 5 },
  ]);
  expect(data.total).toEqual({ count: 3, value: 35.5, weightedValue: 10.47 });
  const open = await api.getOpportunitySummary({ query: { status: 'open', closeTo: '2031-03-31T00:00:00Z' } });
  expect(open.data.total.count).toBe(2);
  const { data: account } = await api.createAccount({ body: { name: 'Analytical Engines' } });
  await service.sqlWithin(
    api.caller,
    `UPDATE opportunity SET account_id = $2, partner_id = 31, custom_fields = '{"tier": "gold"}',
       stage_entered_at = now() - interval '9 days' WHERE value_minor = 2000 AND 0 < $1`,
    [1, account.id],
  );
  for (const query of [
    { accountId: account.id },
    { partnerId: '31' },
    { staleDays: '7' },
    { 'customFields[tier]': 'gold' },
    { valueMin: '20' },
    { stage: 'prospecting', valueMin: '11', valueMax: '30' },
  ] as Record<string, string>[])
    expect([query, (await api.getOpportunitySummary({ query })).data.total]).toEqual([
      query,
      { count: 1, value: 20, weightedValue: 2 },
    ]);
});

describe('a quota', () => {
  it('exists once per period and holder, changes and is deleted', async () => {
    const api = service.as();
    const body = { period: '2031-Q2', amount: 100.5 };
    const both = await Promise.all([api.createQuota({ body }), api.createQuota({ body })]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    const quota = both.find(({ status }) => status === 201)?.data;
    const params = { id: quota?.id as string };
    expect(quota).toMatchObject({ amount: 100.5, currency: 'EUR', ownerId: null, teamId: null });
    expect((await api.updateQuota({ params, body: { amount: 5 } })).data).toMatchObject({ amount: 5, version: 2 });
    const stale = await api.updateQuota({ params, body: { amount: 6 }, headers: { 'if-match': '"1"' } });
    expect(stale.status).toBe(412);
    const misfit = await api.updateQuota({ params, body: { amount: 5.5, currency: 'JPY' } });
    expect([misfit.status, misfit.body.errors?.[0]?.field]).toEqual([422, 'amount']);
    expect((await api.listQuotas({ query: { period: '2031-Q2' } })).data).toHaveLength(1);
    expect((await api.deleteQuota({ params })).status).toBe(200);
    expect((await api.getQuota({ params })).status).toBe(404);
  });

  it.each([
    ['a period that does not exist', { period: '2031-Q5' }, 'period'],
    ['an owner and a team', { ownerId: members.seller, teamId: teams.sales }, 'teamId'],
    ['an unknown owner', { ownerId: '999999' }, 'ownerId'],
    ['too many decimals', { amount: 1.005 }, 'amount'],
  ])('is refused with %s', async (_, more, field) => {
    const reply = await service.as().createQuota({ body: { period: '2031-01', amount: 1, ...more } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, field]);
  });
});

it('a submitted forecast keeps the sums of its time, and is compared with what was won when the period has ended', async () => {
  const seller = service.as({ userId: Number(members.seller) });
  await aDeal(seller, { value: 100, ownerId: members.seller, category: 'commit', closeAt: '2031-05-05T00:00:00Z' });
  const body = { period: '2031-05', amount: 80, note: 'Signed soon' };
  const { status, data } = await seller.submitForecast({ body });
  expect([status, data]).toMatchObject([
    201,
    {
      ownerId: members.seller,
      category: 'commit',
      snapshot: { openValue: 100, commit: 100 },
      actual: null,
      accuracy: null,
    },
  ]);
  expect((await seller.submitForecast({ body: { ...body, period: '2020-01' } })).body).toMatchObject({
    code: 'period_closed',
    errors: [{ field: 'period', message: '2020-01 has ended; use a current or later period' }],
  });
  await aDeal(seller, { value: 64, ownerId: members.seller, won: '2020-05-05T00:00:00Z' });
  await service.sqlWithin(seller.caller, `UPDATE forecast_submission SET period = '2020-05'`);
  const { data: listed } = await seller.listForecastSubmissions();
  expect(listed).toMatchObject([{ amount: 80, actual: 64, accuracy: 0.8 }]);
});
