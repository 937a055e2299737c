import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';
import { aTenant } from './cohorts.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

const dayMs = 86_400_000;
const day = (number: number) => new Date(Date.UTC(2026, 2, 2) + number * dayMs).toISOString();
const days = 60;

/** A generator of pseudo-random integers, so that a failure can be repeated. */
function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Deed {
  type: string;
  filters?: { messageId?: string; url?: string; includeAutomated?: boolean };
  from?: string;
  to?: string;
  minCount?: number;
}
interface Filter {
  sources?: string[];
  statuses?: string[];
  assignedTo?: string;
  teamId?: string;
  partnerId?: string;
  createdFrom?: string;
  createdTo?: string;
  convertedFrom?: string;
  convertedTo?: string;
  did?: Deed[];
  didNot?: Deed[];
}

function aWorld(below: ReturnType<typeof random>) {
  const one = <T>(values: readonly T[]) => values[below(values.length)] as T;
  const types = ['email_open', 'link_click', 'page_visit'] as const;
  const leads = Array.from({ length: 60 }, (_, index) => ({
    id: String(index + 1),
    ...{ source: one(['web', 'api', null]), status: one(['new', 'contacted', 'qualified']) },
    ...{ assignedTo: one(['5', '6', null]), teamId: one(['7', null]), partnerId: one(['8', null]) },
    ...{ createdAt: day(below(days)), convertedAt: below(2) ? day(below(days)) : null },
    isDeleted: below(10) === 0,
  }));
  const events = Array.from({ length: 250 }, () => ({
    ...{ leadId: String(below(60) + 1), eventType: one(types), timestamp: day(below(days)), automated: below(4) === 0 },
    ...{ messageId: one(['m-1', 'm-2']), properties: { url: one(['https://a.example', 'https://b.example']) } },
  }));
  const time = (from: string, to: string) => {
    const first = below(days);
    return { ...(below(2) && { [from]: day(first) }), ...(below(2) && { [to]: day(first + below(days - first)) }) };
  };
  const deed = (): Deed => ({
    type: one(types),
    ...time('from', 'to'),
    ...(below(2) && {
      filters: {
        ...(below(3) === 0 && { messageId: one(['m-1', 'm-2']) }),
        ...(below(3) === 0 && { url: 'https://a.example' }),
        ...(below(2) && { includeAutomated: true }),
      },
    }),
  });
  const filter = (): Filter => {
    const made = {
      ...(below(4) === 0 && { sources: one([['web'], ['web', 'api']]) }),
      ...(below(4) === 0 && { statuses: one([['new'], ['contacted', 'qualified']]) }),
      ...(below(6) === 0 && { assignedTo: one(['5', '6']) }),
      ...(below(6) === 0 && { teamId: '7' }),
      ...(below(6) === 0 && { partnerId: '8' }),
      ...(below(4) === 0 && time('createdFrom', 'createdTo')),
      ...(below(4) === 0 && time('convertedFrom', 'convertedTo')),
      ...(below(2) && {
        did: Array.from({ length: below(2) + 1 }, () => ({ ...deed(), ...(below(2) && { minCount: below(3) + 1 }) })),
      }),
      ...(below(3) === 0 && { didNot: Array.from({ length: below(2) + 1 }, deed) }),
    };
    return Object.keys(made).length ? made : filter();
  };
  return { leads, events, filter };
}
type World = ReturnType<typeof aWorld>;

function isWithin(time: string | null, from?: string, to?: string): boolean {
  if (from === undefined && to === undefined) return true;
  return time !== null && (from === undefined || time >= from) && (to === undefined || time <= to);
}

/** The leads that meet a filter, by a look at every lead and event. */
function expected({ leads, events }: World, filter: Filter): number[] {
  const count = (leadId: string, { type, filters = {}, from, to }: Deed) =>
    events.filter(
      (event) =>
        event.leadId === leadId &&
        event.eventType === type &&
        isWithin(event.timestamp, from, to) &&
        (filters.includeAutomated || !event.automated) &&
        (filters.messageId === undefined || event.messageId === filters.messageId) &&
        (filters.url === undefined || event.properties.url === filters.url),
    ).length;
  return leads
    .filter(({ isDeleted }) => !isDeleted)
    .filter(({ source }) => !filter.sources || filter.sources.some((one) => one === source))
    .filter(({ status }) => !filter.statuses || filter.statuses.includes(status))
    .filter(({ assignedTo }) => filter.assignedTo === undefined || assignedTo === filter.assignedTo)
    .filter(({ teamId }) => filter.teamId === undefined || teamId === filter.teamId)
    .filter(({ partnerId }) => filter.partnerId === undefined || partnerId === filter.partnerId)
    .filter(({ createdAt }) => isWithin(createdAt, filter.createdFrom, filter.createdTo))
    .filter(({ convertedAt }) => isWithin(convertedAt, filter.convertedFrom, filter.convertedTo))
    .filter(({ id }) => (filter.did ?? []).every((deed) => count(id, deed) >= (deed.minCount ?? 1)))
    .filter(({ id }) => (filter.didNot ?? []).every((deed) => count(id, deed) === 0))
    .map(({ id }) => Number(id))
    .sort((a, b) => a - b);
}

it('the leads of a cohort equal those found by a look at every lead and event, over random filters', async () => {
  const world = aWorld(random(11));
  const tenant = aTenant(service);
  for (const { isDeleted, convertedAt, ...lead } of world.leads) {
    await tenant.lead({ ...lead, version: 1 });
    if (convertedAt) await tenant.lead({ ...lead, convertedAt, version: 2 }, 'lead.converted');
    if (isDeleted) await tenant.lead({ ...lead, convertedAt, version: 3 }, 'lead.deleted');
  }
  const { status } = await tenant.api.recordEvents({ body: { events: world.events } });
  expect(status).toBe(200);
  await tenant.counted();
  let members = 0;
  for (let round = 0; round < 40; round++) {
    const filter = world.filter();
    const wanted = expected(world, filter);
    const stored = await tenant.save({ filter, static: true });
    const { memberCount } = await tenant.ready(stored);
    const rows = await service.sqlWithin(
      tenant.api.caller,
      `SELECT lead_id::int AS id FROM cohort_member WHERE cohort_id = ${stored} ORDER BY 1`,
    );
    expect([filter, rows.map(({ id }) => id), memberCount]).toEqual([filter, wanted, wanted.length]);
    const evaluated = await tenant.save({ filter });
    expect([filter, await tenant.size(evaluated), await tenant.size(stored)]).toEqual([
      ...[filter, wanted.length, wanted.length],
    ]);
    members += wanted.length;
  }
  expect(members).toBeGreaterThan(200);
});
