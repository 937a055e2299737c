import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';
import { aTenant } from '../cohort-definitions/cohorts.test-service.ts';
import { aTenantWith, aWorld, begin, dayMs, days, hourMs, random, type World } from './world.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

type Lead = World['leads'][number];

interface Asked {
  first: number;
  last: number;
  /** How many hours the days begin before those of UTC. */
  ahead: number;
  isMember: (lead: Lead) => boolean;
  isOwned: (record: { userId: string | null; teamId: string | null }) => boolean;
}

/** The numbers of a dashboard by a look at every record. */
function expected({ leads, deals, events }: World, { first, last, ahead, isMember, isOwned }: Asked) {
  const start = (day: number) => begin + day * dayMs - ahead * hourMs;
  const within = (time: string | null, from = first, to = last) =>
    time !== null && Date.parse(time) >= start(from) && Date.parse(time) < start(to + 1);
  const members = new Map(leads.filter((lead) => !lead.isDeleted && isMember(lead)).map((lead) => [lead.id, lead]));
  const counted = [...members.values()].filter(isOwned);
  const by = (field: 'status' | 'source') => {
    const counts: Record<string, number> = {};
    for (const lead of counted) counts[lead[field] ?? 'none'] = (counts[lead[field] ?? 'none'] ?? 0) + 1;
    return counts;
  };
  const ofMembers = deals.filter((deal) => members.has(deal.leadId ?? '') && !deal.isDeleted && isOwned(deal));
  const money = (some: typeof deals) =>
    ['EUR', 'USD'].flatMap((currency) => {
      const values = some.filter((deal) => deal.currency === currency).map(({ value }) => value);
      return values.length ? [{ currency, amount: values.reduce((sum, value) => sum + value, 0) }] : [];
    });
  const closed = (status: string) => ofMembers.filter((deal) => deal.status === status && within(deal.closedAt));
  const cycles = closed('won').map((deal) => Math.max(0, Date.parse(deal.closedAt) - Date.parse(deal.createdAt)));
  // The owners of leads do not change here, so an event has the owner of its lead.
  const happened = events.filter(({ leadId }) => {
    const lead = members.get(leadId);
    return lead && isOwned(lead);
  });
  const of = (type: string) => happened.filter(({ eventType, timestamp }) => eventType === type && within(timestamp));
  const human = (type: string) => of(type).filter(({ automated }) => !automated);
  // Only the first recorded event of a message counts.
  const unique = (...kinds: string[]) => {
    const seen = new Set<string>();
    const firsts = happened.filter(({ automated, eventType, leadId, messageId }) => {
      const key = `${leadId} ${messageId}`;
      return !automated && kinds.includes(eventType) && !seen.has(key) && seen.add(key);
    });
    return firsts.filter(({ timestamp }) => within(timestamp)).length;
  };
  const created = counted.filter(({ createdAt }) => within(createdAt));
  return {
    leads: {
      ...{ total: counted.length, byStatus: by('status'), bySource: by('source'), new: created.length },
      converted: created.filter(({ convertedAt }) => convertedAt).length,
      conversions: counted.filter(({ convertedAt }) => within(convertedAt)).length,
    },
    opportunities: {
      open: ofMembers.filter(({ status }) => status === 'open').length,
      pipelineValue: money(ofMembers.filter(({ status }) => status === 'open')),
      new: ofMembers.filter(({ createdAt }) => within(createdAt)).length,
      ...{ won: closed('won').length, lost: closed('lost').length, wonValue: money(closed('won')) },
      avgCycleDays: cycles.length
        ? Number((cycles.reduce((sum, ms) => sum + ms, 0) / cycles.length / dayMs).toFixed(1))
        : null,
    },
    engagement: {
      ...{ sent: of('email_sent').length, opens: of('email_open').length, humanOpens: human('email_open').length },
      ...{ clicks: human('link_click').length, pageVisits: human('page_visit').length },
      ...{ uniqueOpens: unique('email_open', 'link_click'), uniqueClicks: unique('link_click') },
      replies: unique('email_reply'),
    },
    series: Array.from({ length: last - first + 1 }, (_, index) => {
      const isOfDay = (time: string | null) => within(time, first + index, first + index);
      return {
        newLeads: counted.filter(({ createdAt }) => isOfDay(createdAt)).length,
        won: closed('won').filter(({ closedAt }) => isOfDay(closedAt)).length,
        clicks: human('link_click').filter(({ timestamp }) => isOfDay(timestamp)).length,
      };
    }),
  };
}

const dayOf = (number: number) => new Date(begin + number * dayMs).toISOString().slice(0, 10);

type Row = [name: string, filter: object, isMember: (lead: Lead) => boolean];

it('the numbers of a cohort equal those found by a look at every record, by owner and time zone, over random records', async () => {
  const below = random(23);
  const world = aWorld(below);
  const tenant = await aTenantWith(service, world);
  const clicked = (lead: Lead) =>
    world.events.some((event) => event.leadId === lead.id && event.eventType === 'link_click' && !event.automated);
  const rows: Row[] = [
    ['source', { sources: ['web'] }, ({ source }) => source === 'web'],
    ['status', { statuses: ['new', 'contacted'] }, ({ status }) => status !== 'qualified'],
    ['did', { did: [{ type: 'link_click' }] }, clicked],
    ['did not', { didNot: [{ type: 'link_click' }] }, (lead) => !clicked(lead)],
    ['nobody', { sources: ['web'], assignedTo: '999' }, () => false],
  ];
  let seen = 0;
  for (const [name, filter, isMember] of rows) {
    const cohorts = [await tenant.save({ filter }), await tenant.save({ filter, static: true })];
    await tenant.ready(cohorts[1] as string);
    for (const cohortId of cohorts)
      for (const owner of [{}, { userId: '5' }, { teamId: '7' }] as { userId?: string; teamId?: string }[])
        for (const [timezone, ahead] of [
          ['UTC', 0],
          ['Asia/Tokyo', 9],
        ] as const) {
          const first = 10 + below(10);
          const last = first + below(days - first);
          const period = { dateFrom: dayOf(first), dateTo: dayOf(last), timezone, compare: 'previous' };
          const { status, data } = await tenant.api.getDashboard({ query: { ...period, ...owner, cohortId } });
          expect(status).toBe(200);
          const isOwned: Asked['isOwned'] = ({ userId, teamId }) =>
            (!owner.userId || userId === owner.userId) && (!owner.teamId || teamId === owner.teamId);
          const asked = { first, last, ahead, isMember, isOwned };
          expect([name, owner, timezone, data]).toMatchObject([name, owner, timezone, expected(world, asked)]);
          const { leads, engagement } = expected(world, {
            ...asked,
            first: first - (last - first) - 1,
            last: first - 1,
          });
          const { new: created, converted, conversions } = leads;
          expect(data.previous).toMatchObject({ leads: { new: created, converted, conversions }, engagement });
          seen += data.leads.new;
        }
  }
  expect(seen).toBeGreaterThan(100);
}, 120_000);

it('tasks and partners stay those of the tenant, and only their numbers have lists', async () => {
  const tenant = await aTenantWith(service, { leads: [], deals: [], events: [] });
  const query = { dateFrom: dayOf(0), dateTo: dayOf(5) };
  const cohortId = await tenant.save();
  const { data } = await tenant.api.getDashboard({ query: { ...query, cohortId } });
  const { data: whole } = await tenant.api.getDashboard({ query });
  const inTokyo = { ...query, timezone: 'Asia/Tokyo' };
  const { data: there } = await tenant.api.getDashboard({ query: { ...inTokyo, cohortId } });
  const { data: wholeThere } = await tenant.api.getDashboard({ query: inTokyo });
  expect([there.tasks, there.partners, there.tasks.completed]).toEqual([wholeThere.tasks, wholeThere.partners, 1]);
  expect([data.tasks, data.partners]).toEqual([whole.tasks, whole.partners]);
  expect(data.tasks.completed).toBe(1);
  const parts = new Set(data.lists.map(({ number }: { number: string }) => number.split('.')[0]));
  expect([...parts].sort()).toEqual(['partners', 'tasks']);
});

it('a cohort of another tenant or environment, a deleted one, and one that is being counted are refused', async () => {
  const tenant = aTenant(service);
  const cohortId = await tenant.save();
  const { tenantId } = tenant.told;
  const errorsOf = async (api: ReturnType<Analytics['as']>, query: Record<string, string>) => {
    const { status, body } = await api.getDashboard({ query });
    return [status, body.errors?.map(({ field }) => field)];
  };
  const refused = [422, ['cohortId']];
  expect(await errorsOf(service.as(), { cohortId })).toEqual(refused);
  expect(await errorsOf(service.as({ tenantId, environment: 'sandbox' }), { cohortId })).toEqual(refused);
  expect(await errorsOf(service.as({ tenantId, can: ['leads:read'] }), { cohortId })).toEqual([403, undefined]);
  expect((await tenant.api.getDashboard({ query: { cohortId } })).status).toBe(200);
  await tenant.api.deleteCohortDefinition({ params: { id: cohortId } });
  expect(await errorsOf(tenant.api, { cohortId })).toEqual(refused);
  const stored = await tenant.save({ static: true });
  await tenant.ready(stored);
  await service.sqlWithin(tenant.api.caller, `UPDATE cohort_definition SET status = 'counting', counted_at = NULL`);
  expect(await errorsOf(tenant.api, { cohortId: stored })).toEqual(refused);
});
