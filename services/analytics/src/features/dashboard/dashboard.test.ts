import { until } from '@tandem/testing';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';
import { report, reportTimezone, type Version } from '../../records.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

type Sent = [name: string, version: Version, options?: { data?: object; occurredAt?: string }];

/** A tenant whose records are reported, each event twice and in any order. */
function aTenant() {
  const api = service.as();
  const tenantId = api.caller.tenantId as number;
  const told = { service, tenantId };
  return {
    api,
    told,
    report: (...sent: Sent) => report(told, ...sent),
    async reportShuffled(events: Sent[]) {
      const shuffled = [...events, ...events].sort(() => Math.random() - 0.5);
      for (const sent of shuffled) await report(told, ...sent);
      await this.counted();
    },
    /** Resolves when everything that was reported before is counted. */
    async counted() {
      const id = String(Math.floor(Math.random() * 1e9));
      await report(told, 'partner.deleted', { id, version: 1 });
      await until('everything is counted', async () => {
        const rows = await service.sqlWithin(api.caller, `SELECT 1 FROM partner_fact WHERE id = ${id}`);
        return rows.length > 0;
      });
    },
    recounted: (timezone: string) =>
      until('it is counted again', async () => {
        const [row] = await service.sqlWithin(api.caller, 'SELECT timezone, timezone_before FROM counting');
        return row?.['timezone'] === timezone && row['timezone_before'] === null;
      }),
    async engaged(eventType: string, messageId: string, fields: object = {}) {
      const body = { eventType, leadId: '1', messageId, timestamp: day(5), ...fields };
      expect((await api.recordEvent({ body })).status).toBe(201);
    },
    async dashboard(query: Record<string, string> = {}) {
      const { status, data, body } = await api.getDashboard({ query });
      if (status !== 200) throw new Error(JSON.stringify(body));
      return data;
    },
  };
}

const march = { dateFrom: '2026-03-01', dateTo: '2026-03-31' };
const day = (number: number, hour = 12) => new Date(Date.UTC(2026, 2, number, hour)).toISOString();

describe('the dashboard', () => {
  it('is empty for a new tenant, with rates that are null', async () => {
    const data = await aTenant().dashboard();
    expect(data.leads).toEqual({
      ...{ total: 0, new: 0, converted: 0, conversionRate: null, conversions: 0, byStatus: {}, bySource: {} },
    });
    expect(data.opportunities).toMatchObject({ open: 0, winRate: null, avgCycleDays: null, pipelineValue: [] });
    expect(data.series).toHaveLength(30);
    expect(data.previous).toBeNull();
  });

  it('counts each record by its newest version, whatever the order and number of events', async () => {
    const tenant = aTenant();
    await tenant.reportShuffled([
      ['lead.created', { id: '1', version: 1, createdAt: day(1) }, { data: { email: 'a@b.example', source: 'web' } }],
      [
        'lead.updated',
        { id: '1', version: 2, createdAt: day(1), status: 'qualified', source: 'api' },
        { data: { changes: {} } },
      ],
      [
        'lead.converted',
        { id: '1', version: 3, createdAt: day(1), status: 'qualified', source: 'api', convertedAt: day(9) },
        { data: { opportunityId: '1' } },
      ],
      ['lead.created', { id: '2', version: 1, createdAt: day(2) }, { data: { email: 'a@b.example', source: 'web' } }],
      [
        'lead.created',
        { id: '3', version: 1, createdAt: day(2), source: null },
        { data: { email: 'c@b.example', source: null } },
      ],
      ['lead.deleted', { id: '3', version: 2, createdAt: day(2), source: null }],
      [
        'lead.created',
        { id: '4', version: 1, createdAt: '2026-02-28T23:00:00Z' },
        { data: { email: 'c@b.example', source: null } },
      ],
      ['opportunity.created', { id: '1', version: 1, createdAt: day(9) }, { data: { value: 100, stage: 'proposal' } }],
      [
        'opportunity.won',
        { id: '1', version: 2, createdAt: day(9), status: 'won', value: 120.5, closedAt: day(19), stage: 'closed_won' },
        { data: { value: 120.5 } },
      ],
      [
        'opportunity.created',
        { id: '2', version: 1, createdAt: day(3), value: 7 },
        { data: { value: 7, stage: 'proposal' } },
      ],
      [
        'opportunity.created',
        { id: '3', version: 1, createdAt: day(3), value: 1, currency: 'USD' },
        { data: { value: 1, stage: 'x' } },
      ],
      [
        'opportunity.lost',
        { id: '3', version: 2, createdAt: day(3), status: 'lost', closedAt: day(4), currency: 'USD' },
        { data: { reason: 'price' } },
      ],
      ['partner.registered', { id: '1', version: 1, status: 'pending' }],
      ['partner.approved', { id: '1', version: 2, status: 'approved' }],
      ['partner.registered', { id: '2', version: 1, status: 'pending' }],
      [
        'commission.earned',
        { id: '1', version: 1, createdAt: day(19), amount: 12.1 },
        { data: { amount: 12.1, partnerId: '1' } },
      ],
      [
        'commission.earned',
        { id: '2', version: 1, createdAt: day(19), amount: -2 },
        { data: { amount: -2, partnerId: '1' } },
      ],
      [
        'commission.earned',
        { id: '3', version: 1, createdAt: day(19), amount: 50 },
        { data: { amount: 50, partnerId: '1' } },
      ],
      [
        'commission.cancelled',
        { id: '3', version: 2, createdAt: day(19), amount: 50, status: 'cancelled' },
        { data: { partnerId: '1' } },
      ],
      ['task.created', { id: '1', version: 1, dueAt: day(3) }, { data: { title: 'Call', assigneeId: null } }],
      [
        'task.created',
        { id: '2', version: 1, dueAt: '2126-03-02T10:00:00.000Z' },
        { data: { title: 'Call', assigneeId: null } },
      ],
      [
        'task.created',
        { id: '3', version: 1, dueAt: new Date(Date.now() - 1_000).toISOString() },
        { data: { title: 'Call', assigneeId: null } },
      ],
      ['task.completed', { id: '4', version: 1, status: 'completed', completedAt: day(5) }],
    ]);
    const data = await tenant.dashboard({ ...march, compare: 'previous' });
    expect(data.leads).toEqual({
      ...{ total: 3, new: 2, converted: 1, conversionRate: 50, conversions: 1 },
      byStatus: { new: 2, qualified: 1 },
      bySource: { api: 1, web: 2 },
    });
    expect(data.opportunities).toEqual({
      ...{ open: 1, new: 3, won: 1, lost: 1, winRate: 50, avgCycleDays: 10 },
      wonValue: [{ currency: 'EUR', amount: 120.5 }],
      pipelineValue: [{ currency: 'EUR', amount: 7 }],
    });
    expect(data.partners).toEqual({
      ...{ active: 1, pending: 1 },
      commissions: { count: 2, amounts: [{ currency: 'EUR', amount: 10.1 }] },
    });
    expect(data.tasks).toEqual({ open: 3, overdue: 2, completed: 1 });
    expect(data.previous).toMatchObject({ leads: { new: 1, converted: 0 }, opportunities: { new: 0, won: 0 } });
    const points = data.series.filter(({ newLeads, won }: { newLeads: number; won: number }) => newLeads || won);
    expect(points.map(({ from, newLeads, won }: Record<string, unknown>) => [from, newLeads, won])).toEqual([
      [day(1, 0), 1, 0],
      [day(2, 0), 1, 0],
      [day(19, 0), 0, 1],
    ]);
  });

  it('counts by the days of the tenant, again after its time zone changes, and by those of another zone on request', async () => {
    const tenant = aTenant();
    await reportTimezone(tenant.told, 'Pacific/Auckland', 1);
    await until('the zone is known', async () => (await tenant.dashboard()).period.timezone === 'Pacific/Auckland');
    // In Auckland it is 1 April already.
    const late = '2026-03-31T15:00:00.000Z';
    await tenant.report(
      'lead.created',
      { id: '1', version: 1, createdAt: late },
      { data: { email: 'a@b.example', source: 'web' } },
    );
    await tenant.api.recordEvent({ body: { eventType: 'email_open', leadId: '1', messageId: 'm', timestamp: late } });
    await tenant.counted();
    const seen = async (query: Record<string, string> = {}) => {
      const { leads, engagement } = await tenant.dashboard({ ...march, ...query });
      return [leads.new, engagement.uniqueOpens];
    };
    expect(await seen()).toEqual([0, 0]);
    expect(await seen({ dateTo: '2026-04-01' })).toEqual([1, 1]);
    expect(await seen({ timezone: 'Europe/Berlin' })).toEqual([1, 1]);
    await reportTimezone(tenant.told, 'Europe/Berlin', 2);
    await tenant.recounted('Europe/Berlin');
    await until('leads are counted again', async () => (await seen()).join() === '1,1');
    expect(await seen({ timezone: 'Pacific/Auckland' })).toEqual([0, 0]);
    expect(await seen({ timezone: 'Pacific/Auckland', dateTo: '2026-04-01' })).toEqual([1, 1]);
    // An event of an older version of the tenant changes nothing.
    await reportTimezone(tenant.told, 'Asia/Tokyo', 1);
    await tenant.report(
      'lead.created',
      { id: '2', version: 1, createdAt: late },
      { data: { email: 'a@b.example', source: 'web' } },
    );
    await tenant.counted();
    expect(await seen()).toEqual([2, 1]);
  });

  it('counts records again that came before the first time zone of the tenant was known', async () => {
    const tenant = aTenant();
    await tenant.engaged('email_sent', 'a', { timestamp: '2026-03-31T22:30:00.000Z' });
    const sent = async () => (await tenant.dashboard(march)).engagement.sent;
    expect(await sent()).toBe(1);
    await reportTimezone(tenant.told, 'Europe/Berlin', 1);
    await tenant.recounted('Europe/Berlin');
    expect(await sent()).toBe(0);
  });

  it('counts opens, clicks and replies of people apart from those of software, and once per message in rates', async () => {
    const tenant = aTenant();
    const record = tenant.engaged;
    for (const message of ['a', 'b', 'c', 'd']) await record('email_sent', message);
    for (const message of ['a', 'a', 'b']) await record('email_open', message);
    for (const message of ['a', 'c', 'd']) await record('email_open', message, { automated: true });
    await record('link_click', 'a');
    await record('link_click', 'a');
    await record('email_reply', 'b');
    await record('email_bounce', 'd');
    const { engagement } = await tenant.dashboard(march);
    expect(engagement).toMatchObject({
      ...{ sent: 4, opens: 6, humanOpens: 3, uniqueOpens: 2, clicks: 2, uniqueClicks: 1, replies: 1, bounces: 1 },
      ...{ openRate: 50, clickRate: 25, replyRate: 25, bounceRate: 25 },
    });
  });

  it('counts a click as an open, once per message in whatever order and time zone, also after a change of the time zone', async () => {
    const tenant = aTenant();
    const record = tenant.engaged;
    for (const message of ['a', 'b', 'c', 'd', 'e']) await record('email_sent', message);
    // Opened, then clicked; clicked, then opened; clicked only.
    for (const type of ['email_open', 'link_click', 'link_click']) await record(type, 'a');
    for (const type of ['link_click', 'email_open', 'email_open']) await record(type, 'b');
    await record('email_open', 'c', { automated: true });
    for (const automated of [false, false, true]) await record('link_click', 'c', { automated });
    const expected = { humanOpens: 3, uniqueOpens: 3, clicks: 5, uniqueClicks: 3, openRate: 60, clickRate: 60 };
    for (const query of [march, { ...march, timezone: 'Asia/Tokyo' }])
      expect((await tenant.dashboard(query)).engagement).toMatchObject(expected);
    await reportTimezone(tenant.told, 'Asia/Tokyo', 1);
    await tenant.recounted('Asia/Tokyo');
    expect((await tenant.dashboard(march)).engagement).toMatchObject(expected);
  });

  it('counts what belongs to a user or a team', async () => {
    const tenant = aTenant();
    const lead = { createdAt: day(3) };
    const data = { data: { email: 'a@b.example', source: 'web' } };
    await tenant.reportShuffled([
      ['lead.created', { ...lead, id: '1', version: 1, assignedTo: '5', teamId: '8' }, data],
      ['lead.created', { ...lead, id: '2', version: 1, assignedTo: '6', teamId: '8' }, data],
      [
        'lead.assigned',
        { ...lead, id: '2', version: 2, assignedTo: '5', teamId: '9' },
        { data: { from: '6', to: '5', reason: null } },
      ],
      ['lead.created', { ...lead, id: '3', version: 1 }, data],
    ]);
    await tenant.api.recordEvent({ body: { eventType: 'email_sent', leadId: '1', timestamp: day(3) } });
    const numbers = async (query: Record<string, string>) => {
      const { leads, engagement } = await tenant.dashboard({ ...march, ...query });
      return [leads.total, leads.new, engagement.sent];
    };
    expect(await numbers({ userId: '5' })).toEqual([2, 2, 1]);
    expect(await numbers({ userId: '6' })).toEqual([0, 0, 0]);
    expect(await numbers({ teamId: '9' })).toEqual([1, 1, 0]);
    expect(await numbers({ teamId: '8', userId: '5', timezone: 'Asia/Tokyo' })).toEqual([1, 1, 1]);
  });

  it('names the list of the records of each number', async () => {
    const { lists } = await aTenant().dashboard({ ...march, timezone: 'Europe/Berlin', userId: '5' });
    const of = (number: string) => lists.find((list: { number: string }) => list.number === number);
    expect(of('leads.new')).toEqual({
      number: 'leads.new',
      path: '/v1/leads',
      query: { assignedTo: '5', createdFrom: '2026-02-28T23:00:00.000Z', createdTo: '2026-03-31T21:59:59.999Z' },
    });
    expect(of('opportunities.won').query).toMatchObject({ status: 'won', ownerId: '5' });
  });

  it('has all numbers, but no list that the caller cannot read in full', async () => {
    const tenant = aTenant();
    await tenant.report('lead.created', { id: '1', version: 1 }, { data: { email: 'a@b.example', source: 'web' } });
    await tenant.counted();
    const { tenantId } = tenant.told;
    const pathsFor = async (permissions: string[], query: Record<string, string> = {}) => {
      const can = ['analytics:read', ...permissions];
      const { data } = await service.as({ tenantId, userId: 5, teamIds: [6], can }).getDashboard({ query });
      expect(data.leads.total).toBe(Object.keys(query).length ? 0 : 1);
      return [...new Set(data.lists.map(({ path }: { path: string }) => path))];
    };
    expect(await pathsFor(['leads:read', 'tasks:read:own', 'opportunities:read:team'])).toEqual([
      '/v1/leads',
      '/v1/analytics/events',
    ]);
    expect(await pathsFor(['leads:read:own', 'tasks:read'])).toEqual(['/v1/tasks']);
    const own = ['leads:read:own', 'opportunities:read:own', 'partners:read'];
    expect(await pathsFor(own, { userId: '5' })).toEqual(['/v1/leads', '/v1/opportunities', '/v1/partners']);
    expect(await pathsFor(own, { userId: '6' })).toEqual(['/v1/partners']);
    expect(await pathsFor(['leads:read:team', 'tasks:read:own'], { teamId: '6' })).toEqual(['/v1/leads']);
    expect(await pathsFor(['leads:read:team'], { teamId: '7' })).toEqual([]);
  });

  it.each([
    [{ dateFrom: '2026-03-02', dateTo: '2026-03-01' }, 'dateFrom'],
    [{ dateFrom: '2016-03-02', dateTo: '2026-03-31' }, 'dateFrom'],
    [{ dateFrom: 'yesterday' }, 'dateFrom'],
    [{ dateTo: '2026-02-30' }, 'dateTo'],
    [{ timezone: 'Mars/Olympus' }, 'timezone'],
  ])('refuses %j', async (query, field) => {
    const { status, body } = await service.as().getDashboard({ query });
    expect([status, body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
  });

  it('is separate for each tenant and environment', async () => {
    const tenant = aTenant();
    await tenant.report('lead.created', { id: '1', version: 1 }, { data: { email: 'a@b.example', source: 'web' } });
    await tenant.counted();
    const sandbox = service.as({ tenantId: tenant.told.tenantId, environment: 'sandbox' });
    const totals = [await tenant.api.getDashboard(), await sandbox.getDashboard(), await service.as().getDashboard()];
    expect(totals.map(({ data }) => data.leads.total)).toEqual([1, 0, 0]);
  });
});
