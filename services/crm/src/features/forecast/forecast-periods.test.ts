import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService } from '@tandem/testing';
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

/** The periods of a forecast. */
async function periodsOf(query: Record<string, string>) {
  const { data } = await service.as().getForecast({ query });
  return data.buckets.flatMap(({ period }: { period: string | null }) => period ?? []);
}

it.each([
  ['2031-01-01T00:00:00Z', '2031-12'],
  ['2031-03-01T00:00:00Z', '2032-02'],
  ['2031-05-31T21:59:59Z', '2032-04'],
  ['2031-12-31T12:00:00Z', '2032-11'],
  ['2032-02-29T12:00:00Z', '2033-01'],
])('a forecast from %s has 12 months until %s', async (from, last) => {
  const periods = await periodsOf({ from });
  expect([periods.length, periods.at(-1)]).toEqual([12, last]);
});

it.each([
  ['2031-01-01T00:00:00Z', '2031-Q4'],
  ['2031-10-01T00:00:00Z', '2032-Q3'],
  ['2031-12-31T12:00:00Z', '2032-Q3'],
])('a forecast from %s has 4 quarters until %s', async (from, last) => {
  const periods = await periodsOf({ from, period: 'quarter' });
  expect([periods.length, periods.at(-1)]).toEqual([4, last]);
});

it('open deals that should have been closed before the first period have a place of their own', async () => {
  const api: Api = service.as();
  const deal = async (value: number, expectedCloseAt: string | null) =>
    (await api.createOpportunity({ body: { name: 'Rollout', value, currency: 'EUR', expectedCloseAt } })).data.id;
  await deal(1, '2020-02-01T00:00:00Z');
  await deal(2, null);
  await deal(4, new Date().toISOString());
  const won = await deal(8, '2020-02-01T00:00:00Z');
  await api.winOpportunity({ params: { id: won }, body: {} });
  const { data } = await api.getForecast({ query: { period: 'quarter', groupBy: 'owner' } });
  const [first, ...others] = data.buckets;
  expect(first).toMatchObject({ kind: 'period', openValue: 4, closedWon: 8 });
  expect(others.slice(3)).toMatchObject([
    {
      kind: 'earlier',
      period: null,
      from: null,
      to: first.from,
      count: 1,
      openValue: 1,
      closedWon: 0,
      quota: null,
      groups: [{ openValue: 1 }],
    },
    { kind: 'undated', period: null, from: null, to: null, count: 1, openValue: 2 },
  ]);
});

it('sums are rounded half up in minor units', async () => {
  const api = service.as();
  const deal = (value: number, currency: string, probability: number) =>
    api.createOpportunity({
      body: { name: 'Rollout', value, currency, probability, expectedCloseAt: '2031-03-10T00:00:00Z' },
    });
  await deal(2.01, 'EUR', 50);
  await api.setExchangeRates({ body: { rates: [{ currency: 'USD', rate: 1.15 }] } });
  const query = { from: '2031-03-10T00:00:00Z', to: '2031-03-10T00:00:00Z' };
  const first = async () => (await api.getForecast({ query })).data.buckets[0];
  expect(await first()).toMatchObject({ openValue: 2.01, weightedValue: 1.01 });
  await deal(1.1, 'USD', 0);
  expect(await first()).toMatchObject({ openValue: 3.28, weightedValue: 1.01 });
});

it('the summary takes the grouping that it always has', async () => {
  const api = service.as();
  expect((await api.getOpportunitySummary({ query: { groupBy: 'stage' } })).data.total.count).toBe(0);
  const other = await api.getOpportunitySummary({ query: { groupBy: 'owner' } });
  expect([other.status, other.body.errors?.[0]?.field]).toEqual([422, 'groupBy']);
});
