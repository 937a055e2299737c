import type { Dashboard, dashboards } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { startOfDay } from '@tandem/time-zones';
import type { z } from 'zod';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { findCohort } from '../cohort-definitions/cohort-definition.ts';
import { type Cohort, readMembers } from '../cohort-definitions/members.ts';
import { readTimezone } from '../counting/index.ts';
import { openTaskStatuses } from '../facts/task-fact.ts';
import { eventsKeptSince, type Missing, warnOfRemovedEvents } from '../retention/index.ts';
import { otherSums, presentSumsOfLeads, sumsOfLeads } from './counted-sums.ts';
import { listsOf } from './lists.ts';
import { numbersOf, totals } from './numbers.ts';
import { before, type Interval, intervalsOf, lengthOf, type Period, periodOf, startOfInterval } from './period.ts';
import { readableLists } from './readable-lists.ts';
import { type Owner, type Sum, sumsOfDays, sumsOfNow, tasksDueBefore } from './sums.ts';

type Query = z.output<typeof dashboards.getDashboard.query>;

export const getDashboard =
  (tools: Tools): Handler<typeof dashboards.getDashboard> =>
  async ({ query, caller, tx, missing }) => {
    const found = await readDashboard(tools, { tx, caller, missing }, query);
    return { ...found, lists: readableLists(found.lists, caller) };
  };

/** The sums that a dashboard shows. */
interface Sums {
  ofPeriod: Sum[];
  ofNow: Sum[];
  /** Of the period before, if the dashboard shows it. */
  ofEarlier: Sum[];
}

/** The dashboard of a query. No transaction may be open. */
export async function readDashboard(
  tools: Tools,
  { tx, caller, missing }: { tx: Tx; caller: Caller; missing: Missing },
  query: Query,
): Promise<z.output<typeof Dashboard>> {
  const { timezone: counted, isChanging } = await readTimezone(tx);
  if (isChanging) missing('series', 'The time zone of the tenant has changed; its records are being counted again');
  const { compare = 'none', userId, teamId, cohortId } = query;
  const owner = { userId, teamId };
  const period = periodOf(query, query.timezone ?? counted);
  const earlier = compare === 'previous' ? before(period) : undefined;
  const cohort = await findCohort(tx, cohortId);
  const areKept = cohort === undefined && period.timezone === counted;
  // The sums of removed events stay, but only by the days of the tenant, and not by lead.
  if (!areKept) await warnOfRemovedEvents({ tx, missing }, { part: 'engagement', from: (earlier ?? period).from });
  const read = () => readSums(tx, { period, earlier }, { owner, cohort, counted });
  const { ofPeriod: sums, ofNow, ofEarlier } = areKept ? await read() : await tools.heavy(caller.tenantId, read);
  const now = totals(ofNow);
  const numbers = numbersOf(sums);
  const [byStatus, bySource] = [now.byValue('leads.status'), now.byValue('leads.source')];
  const interval = intervalFor(period);
  return {
    period: shown(period),
    leads: { ...numbers.leads, total: now.count('leads.status'), byStatus, bySource },
    opportunities: {
      ...numbers.opportunities,
      open: now.count('opportunities.status', 'open'),
      pipelineValue: now.money('opportunities.pipeline'),
    },
    partners: {
      ...numbers.partners,
      active: now.count('partners.status', 'approved'),
      pending: now.count('partners.status', 'pending'),
    },
    engagement: numbers.engagement,
    tasks: { ...numbers.tasks, open: now.count('tasks.open'), overdue: await overdueTasks(tx, owner, counted) },
    interval,
    series: seriesOf(sums, period, interval),
    previous: earlier ? { period: shown(earlier), ...numbersOf(ofEarlier) } : null,
    lists: listsOf(period, owner, {
      isOfCohort: cohort !== undefined,
      hasEvents: period.from >= ((await eventsKeptSince(tx)) ?? period.from),
      statuses: Object.keys(byStatus),
      sources: Object.keys(bySource),
    }),
    generatedAt: new Date(),
  };
}

/** Those that are kept by day, and for a cohort or another time zone than that of the tenant, those counted from the records. */
async function readSums(
  tx: Tx,
  { period, earlier }: { period: Period; earlier: Period | undefined },
  { owner, cohort, counted }: { owner: Owner; cohort: Cohort | undefined; counted: string },
): Promise<Sums> {
  const kept = { owner, withoutLeads: cohort !== undefined };
  const counting = { owner, members: await readMembers(tx, cohort) };
  // Tasks and commissions have no lead, so that a cohort does not change them.
  const countingAll = { owner, members: await readMembers(tx, undefined) };
  const isKept = period.timezone === counted;
  const read = async (of: Period) => [
    ...(isKept ? await sumsOfDays(tx, of, kept) : await otherSums(tx, of, countingAll)),
    ...(isKept && !cohort ? [] : await sumsOfLeads(tx, of, counting)),
  ];
  return {
    ofPeriod: await read(period),
    ofNow: [...(await sumsOfNow(tx, kept)), ...(cohort ? await presentSumsOfLeads(tx, counting) : [])],
    ofEarlier: earlier ? await read(earlier) : [],
  };
}

function shown({ from, to, timezone }: Period) {
  return { from, to, timezone };
}

function intervalFor(period: Period): Interval {
  const days = lengthOf(period);
  return days > 366 ? 'month' : days > 92 ? 'week' : 'day';
}

function seriesOf(sums: readonly Sum[], period: Period, interval: Interval) {
  const byStart = Map.groupBy(sums, ({ day }) => startOfInterval(day, interval));
  return intervalsOf(period, interval).map((start) => {
    const { leads, opportunities, engagement, tasks } = numbersOf(byStart.get(start) ?? []);
    return {
      from: startOfDay(start, period.timezone),
      newLeads: leads.new,
      conversions: leads.conversions,
      newOpportunities: opportunities.new,
      won: opportunities.won,
      lost: opportunities.lost,
      sent: engagement.sent,
      humanOpens: engagement.humanOpens,
      clicks: engagement.clicks,
      completedTasks: tasks.completed,
    };
  });
}

/** Tasks due on an earlier day are counted by day; only those of today are compared with the clock. */
async function overdueTasks(tx: Tx, owner: Owner, timezone: string): Promise<number> {
  const now = new Date();
  const { first: today, from } = periodOf({ dateFrom: now.toISOString(), dateTo: now.toISOString() }, timezone);
  const { userId = null, teamId = null } = owner;
  const [due] = await tx.sql<{ count: number }>`
    SELECT count(*)::float8 AS count FROM task_fact
    WHERE status = ANY(${[...openTaskStatuses]}::text[]) AND NOT is_deleted AND due_at >= ${from}::timestamptz AND due_at < ${now}::timestamptz
      AND (${userId}::bigint IS NULL OR user_id = ${userId}::bigint)
      AND (${teamId}::bigint IS NULL OR team_id = ${teamId}::bigint)`;
  return (await tasksDueBefore(tx, today, owner)) + (due?.count ?? 0);
}
