import { until } from '@tandem/testing';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';
import { report, type Version } from '../../records.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

// A Monday, long enough ago that all periods have ended.
const monday = Date.UTC(2026, 2, 2);
const dayMs = 86_400_000;
const day = (number: number, hour = 12) => new Date(monday + number * dayMs + hour * 3_600_000).toISOString();
const range = { dateFrom: '2026-03-02', dateTo: '2026-03-29' };

interface Row {
  cohort: string | null;
  size: number;
  sizes?: number[];
  values: (number | null)[];
}

function aTenant() {
  const api = service.as();
  const told = { service, tenantId: api.caller.tenantId as number };
  return {
    api,
    lead: (version: Version, name = 'lead.created') =>
      report(told, name, version, { data: { email: 'a@b.example', source: null, opportunityId: '1' } }),
    deal: (version: Version) => report(told, 'opportunity.won', { status: 'won', ...version }, { data: { value: 1 } }),
    async happened(leadId: string, timestamp: string, fields: object = {}) {
      const { status } = await api.recordEvent({ body: { leadId, eventType: 'email_open', timestamp, ...fields } });
      expect(status).toBe(201);
    },
    async counted() {
      await report(told, 'partner.deleted', { id: '999', version: 1 });
      await until('everything is counted', async () => {
        return (await service.sqlWithin(api.caller, 'SELECT 1 FROM partner_fact WHERE id = 999')).length > 0;
      });
    },
    async rows(query: Record<string, string> = {}): Promise<Row[]> {
      const { status, data, body } = await api.getCohorts({ query: { ...range, ...query } });
      if (status !== 200) throw new Error(JSON.stringify(body));
      return data.rows;
    },
  };
}

/** A generator of pseudo-random integers, so that a failure can be repeated. */
function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('cohorts', () => {
  it('equal a count of every lead and period, over random leads and events', async () => {
    const tenant = aTenant();
    const below = random(7);
    const sources = ['web', 'api', null];
    const leads = Array.from({ length: 40 }, (_, index) => ({
      id: String(index + 1),
      created: below(35),
      source: sources[below(3)] as string | null,
      events: Array.from({ length: below(6) }, () => ({ day: below(80), isHuman: below(4) > 0 })),
      converted: below(2) ? below(80) : null,
      won: below(2) ? { day: below(80), value: below(1_000) / 10 } : null,
    }));
    for (const { id, created, source, events, converted, won } of leads) {
      const base = { id, createdAt: day(created), source };
      await tenant.lead({ ...base, version: 1 });
      if (converted !== null) await tenant.lead({ ...base, version: 2, convertedAt: day(converted) }, 'lead.converted');
      if (won)
        await tenant.deal({ id, version: 1, leadId: id, value: won.value, closedAt: day(won.day), createdAt: day(0) });
      for (const event of events) await tenant.happened(id, day(event.day), { automated: !event.isHuman });
    }
    await tenant.counted();
    const weekOf = (number: number) => Math.floor(number / 7);
    const counted = (members: typeof leads, metric: string, period: number) =>
      members.reduce((sum, lead) => {
        const at = (number: number) => weekOf(number) - weekOf(lead.created) === period;
        if (metric === 'revenue') return sum + (lead.won && at(lead.won.day) ? lead.won.value : 0);
        if (metric === 'converted') return sum + (lead.converted !== null && at(lead.converted) ? 1 : 0);
        return sum + (lead.events.some((event) => event.isHuman && at(event.day)) ? 1 : 0);
      }, 0);
    const inRange = leads.filter(({ created }) => created < 28);
    for (const metric of ['retained', 'converted', 'revenue']) {
      const query = { metric, periods: '6', ...(metric === 'revenue' && { currency: 'EUR' }) };
      const expected = [0, 1, 2, 3].map((week) => {
        const members = inRange.filter(({ created }) => weekOf(created) === week);
        const values = [0, 1, 2, 3, 4, 5].map((period) => Number(counted(members, metric, period).toFixed(4)));
        return { cohort: day(week * 7).slice(0, 10), size: members.length, values };
      });
      expect([metric, await tenant.rows(query)]).toEqual([metric, expected]);
      const bySource = await tenant.rows({ ...query, cohortBy: 'source' });
      for (const source of sources) {
        const members = inRange.filter((lead) => lead.source === source);
        const row = bySource.find(({ cohort }) => cohort === source);
        expect([metric, source, row?.size, row?.values]).toEqual([
          ...[metric, source, members.length],
          [0, 1, 2, 3, 4, 5].map((period) => Number(counted(members, metric, period).toFixed(4))),
        ]);
      }
    }
  });

  it('by the first engagement of a person begin with it, and count those leads only', async () => {
    const tenant = aTenant();
    for (const id of ['1', '2', '3']) await tenant.lead({ id, version: 1, createdAt: day(0) });
    await tenant.happened('1', day(9));
    await tenant.happened('1', day(8));
    await tenant.happened('1', day(16));
    await tenant.happened('2', day(1), { automated: true });
    await tenant.happened('2', day(2), { eventType: 'email_sent' });
    await tenant.happened('3', day(-5));
    await tenant.counted();
    const rows = await tenant.rows({ cohortBy: 'first_touch', periods: '3' });
    expect(rows.filter(({ size }) => size)).toEqual([{ cohort: '2026-03-09', size: 1, values: [1, 1, 0] }]);
  });

  it('have null for periods that have not ended, in the time zone of the tenant', async () => {
    const tenant = aTenant();
    await tenant.lead({ id: '1', version: 1, createdAt: new Date(Date.now() - 15 * dayMs).toISOString() });
    await tenant.counted();
    const { data } = await tenant.api.getCohorts({ query: { interval: 'day', periods: '20' } });
    const row = data.rows.find(({ size }: Row) => size);
    expect(row.values.slice(0, 15)).toEqual(new Array(15).fill(0));
    expect(row.values.slice(15)).toEqual(new Array(5).fill(null));
    expect(data.rows.at(-1).values).toEqual(new Array(20).fill(null));
  });

  it('by source count the leads whose period has ended, and have null for a period that has ended for none', async () => {
    const tenant = aTenant();
    const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString();
    await tenant.lead({ id: '1', version: 1, source: 'web', createdAt: daysAgo(20) });
    await tenant.lead({ id: '2', version: 1, source: 'web', createdAt: daysAgo(2) });
    await tenant.lead({ id: '3', version: 1, source: 'api', createdAt: daysAgo(0) });
    await tenant.happened('1', daysAgo(19));
    for (const days of [2, 0]) await tenant.happened('2', daysAgo(days));
    await tenant.counted();
    const { data } = await tenant.api.getCohorts({ query: { cohortBy: 'source', interval: 'day', periods: '4' } });
    expect(data.rows).toEqual([
      { cohort: 'web', size: 2, sizes: [2, 2, 1, 1], values: [1, 1, 0, 0] },
      { cohort: 'api', size: 1, sizes: [0, 0, 0, 0], values: [null, null, null, null] },
    ]);
  });

  it('have the sources of the leads of the user that is asked for', async () => {
    const tenant = aTenant();
    await tenant.lead({ id: '1', version: 1, source: 'web', createdAt: day(0), assignedTo: '5' });
    await tenant.lead({ id: '2', version: 1, source: 'api', createdAt: day(0), assignedTo: '6' });
    await tenant.counted();
    const rows = await tenant.rows({ cohortBy: 'source', userId: '5' });
    expect(rows.map(({ cohort, size }) => [cohort, size])).toEqual([['web', 1]]);
  });

  it('leave out deleted leads and those of other tenants, and obey the filters', async () => {
    const tenant = aTenant();
    await tenant.lead({ id: '1', version: 1, createdAt: day(0), assignedTo: '5' });
    await tenant.lead({ id: '2', version: 1, createdAt: day(0) });
    await tenant.lead({ id: '2', version: 2, createdAt: day(0) }, 'lead.deleted');
    await tenant.counted();
    const sizes = async (query: Record<string, string> = {}) => (await tenant.rows(query)).map(({ size }) => size);
    expect(await sizes()).toEqual([1, 0, 0, 0]);
    expect(await sizes({ userId: '6' })).toEqual([0, 0, 0, 0]);
    expect((await aTenant().rows()).map(({ size }) => size)).toEqual([0, 0, 0, 0]);
  });

  it.each([
    [{ metric: 'revenue' }, 'currency'],
    [{ periods: '25' }, 'periods'],
    [{ interval: 'day', dateFrom: '2020-01-01' }, 'dateFrom'],
  ])('refuse %j', async (query, field) => {
    const { status, body } = await service.as().getCohorts({ query: query as Record<string, string> });
    expect([status, body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
  });
});
