import { createIdCodec } from '@tandem/ids';
import type { TestTenant } from '@tandem/test-fleet';
import { formatNumber } from '../numbers.ts';
import type { Place } from '../place.ts';
import type { Row } from '../results.ts';
import { fillAnalytics, sizes } from './analytics-data.ts';

const members = ['gateway', 'identity', 'crm', 'partner', 'analytics'];
const [dashboardGoalMs, funnelGoalMs, ingestGoal] = [200, 1_000, 1_000];
const requests = 20;
const ingestMs = 15_000;
const [clients, eventsPerRequest] = [4, 500];
const dayMs = 86_400_000;

/** Measures analytics with the sums of a year in one tenant, by default with 300,000 leads and 1,000,000 events, through the gateway. */
export async function measureAnalytics(place: Place): Promise<Row[]> {
  for (const name of members) await place.startMember(name);
  const tenant = await place.aTenant();
  const ids = createIdCodec(place.environment['gateway']?.['IDS_ALPHABET'] as string);
  const tenantId = ids.decode('tenant', undefined, tenant.id) as number;
  const leads = await createLeads(tenant);
  await fillAnalytics(place.databaseUrl('analytics'), tenantId, place.log);
  const rows: Row[] = [];
  const add = (row: Row) => {
    place.log(`${row.what}: ${row.reached} (${row.detail})`);
    rows.push(row);
  };
  for (const days of [30, 365]) add(await measureDashboard(tenant, days));
  add(await measureFunnel(tenant));
  add(await measureBeside(tenant));
  add(await measureCohorts(tenant));
  add(await measureIngest(tenant, leads));
  return rows;
}

/** Leads that crm has too, because it is asked for the leads of recorded events. */
async function createLeads({ api }: TestTenant): Promise<string[]> {
  const items = Array.from({ length: 250 }, (_, n) => ({
    ...{ email: `lead-${n}@example.com`, firstName: 'Lead', lastName: `Number ${n}` },
  }));
  const { data } = await api.bulkCreateLeads({ body: { items } });
  return data.results.flatMap(({ id }) => id ?? []);
}

const dayAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);

const dashboard = ({ api }: TestTenant, days: number) =>
  api.getDashboard({ query: { dateFrom: dayAgo(days - 1), dateTo: dayAgo(0), compare: 'previous' } });

const funnel = ({ api }: TestTenant) =>
  api.queryFunnel({
    body: {
      dateFrom: dayAgo(29),
      dateTo: dayAgo(0),
      steps: ['email_sent', 'email_open', 'link_click', 'page_visit', 'form_submission'].map((event) => ({ event })),
    } as Parameters<TestTenant['api']['queryFunnel']>[0]['body'],
  });

/** The times of requests, one after the other, in the order of their length. */
async function timesOf(send: () => Promise<unknown>, count = requests): Promise<number[]> {
  await send();
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const began = performance.now();
    await send();
    times.push(performance.now() - began);
  }
  return times.sort((one, other) => one - other);
}

const at = (times: number[], part: number) => times[Math.floor(times.length * part)] as number;

async function measureDashboard(tenant: TestTenant, days: number): Promise<Row> {
  const times = await timesOf(() => dashboard(tenant, days));
  return {
    id: `analytics-dashboard-${days}`,
    what: `Dashboard of ${days} days with the previous ones, of ${sizes.users} users`,
    goal: `p95 ≤ ${dashboardGoalMs} ms`,
    reached: `${formatNumber(at(times, 0.95))} ms`,
    detail: `p50 ${formatNumber(at(times, 0.5))} ms`,
    isReached: at(times, 0.95) <= dashboardGoalMs,
  };
}

async function measureFunnel(tenant: TestTenant): Promise<Row> {
  const { data } = await funnel(tenant);
  const times = await timesOf(() => funnel(tenant), 5);
  return {
    id: 'analytics-funnel',
    what: `Funnel of five steps over ${formatNumber(Math.min(sizes.events, 1_000_000))} of ${formatNumber(sizes.events)} events`,
    goal: `p95 ≤ ${funnelGoalMs} ms`,
    reached: `${formatNumber(at(times, 0.95))} ms`,
    detail: `p50 ${formatNumber(at(times, 0.5))} ms, ${data.steps.map(({ count }) => count).join(' → ')} leads`,
    isReached: at(times, 0.95) <= funnelGoalMs,
  };
}

/** Whether other requests wait for funnels, which have connections of their own. */
async function measureBeside(tenant: TestTenant): Promise<Row> {
  const list = () => tenant.api.listRecordedEvents({ query: { limit: 20 } });
  const alone = at(await timesOf(list), 0.5);
  let isOver = false;
  const funnels = (async () => {
    while (!isOver) await funnel(tenant).catch(() => {});
  })();
  const beside = at(await timesOf(list), 0.5);
  isOver = true;
  await funnels;
  return {
    id: 'analytics-beside',
    what: 'A list of events beside funnels, compared with alone',
    goal: '≤ 3 times',
    reached: `${formatNumber(beside / alone)} times`,
    detail: `p50 ${formatNumber(alone)} ms alone, ${formatNumber(beside)} ms beside; one of two cores is busy with the funnel`,
    isReached: beside <= 3 * alone,
  };
}

async function measureCohorts({ api }: TestTenant): Promise<Row> {
  const cohorts = () => api.getCohorts({ query: { cohortBy: 'created', interval: 'month', metric: 'retained' } });
  const times = await timesOf(cohorts, 5);
  return {
    id: 'analytics-cohorts',
    what: `Leads retained by the month of their creation, of ${formatNumber(sizes.leads)} leads`,
    goal: '-',
    reached: `${formatNumber(at(times, 0.95))} ms`,
    detail: `p50 ${formatNumber(at(times, 0.5))} ms`,
    isReached: true,
  };
}

async function measureIngest({ api }: TestTenant, leads: string[]): Promise<Row> {
  const began = performance.now();
  let [sent, stored] = [0, 0];
  const client = async () => {
    while (performance.now() - began < ingestMs) {
      const events = Array.from({ length: eventsPerRequest }, () => {
        const number = ++sent;
        return {
          ...{
            eventType: 'email_open' as const,
            leadId: leads[number % leads.length] as string,
            messageId: `new-${number % 1_000}`,
          },
          ...{ insertId: `bench-${number}` },
        };
      });
      const { data } = await api.recordEvents({ body: { events } });
      stored += data.accepted;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const perSecond = (stored * 1_000) / (performance.now() - began);
  return {
    id: 'analytics-ingest',
    what: `Engagement events in requests of ${eventsPerRequest}`,
    goal: `≥ ${formatNumber(ingestGoal)}/s`,
    reached: `${formatNumber(perSecond)}/s`,
    detail: `${clients} clients, ${formatNumber(stored)} of ${formatNumber(sent)} events stored`,
    isReached: perSecond >= ingestGoal && stored === sent,
  };
}
