import type { Dashboard, dashboards } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { startOfDay } from '@tandem/time-zones';
import type { z } from 'zod';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { findCohort } from '../cohort-definitions/cohort-definition.ts';
import { readMembers } from '../cohort-definitions/members.ts';
import { readTimezone } from '../counting/index.ts';
import { openTaskStatuses } from '../facts/task-fact.ts';
import { eventsKeptSince, warnOfRemovedEvents } from '../retention/index.ts';
import { listsOf } from './lists.ts';
import { numbersOf, totals } from './numbers.ts';
import { before, type Interval, intervalsOf, lengthOf, type Period, periodOf, startOfInterval } from './period.ts';
import { type Owner, type Reading, type Sum, sumsOfDays, sumsOfNow, tasksDueBefore } from './sums.ts';
import { sumsInZone } from './sums-in-zone.ts';
import { cohortSumsOfNow, sumsOfCohort } from './sums-of-cohort.ts';

type Query = z.output<typeof dashboards.getDashboard.query>;

export const getDashboard =
  (tools: Tools): Handler<typeof dashboards.getDashboard> =>
  async ({ query, caller, tx, missing }) => {
    const { timezone, isChanging } = await readTimezone(tx);
    if (isChanging) missing('series', 'The time zone of the tenant has changed; its records are being counted again');
    const found = await readDashboard(tools, { tx, caller }, query);
    // The sums of removed events stay, but only by the days of the tenant, and not by lead.
    if (found.period.timezone !== timezone || query.cohortId !== undefined)
      await warnOfRemovedEvents({ tx, missing }, { part: 'engagement', from: (found.previous ?? found).period.from });
    return found;
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
  { tx, caller }: { tx: Tx; caller: Caller },
  query: Query,
): Promise<z.output<typeof Dashboard>> {
  const { timezone: counted } = await readTimezone(tx);
  const { compare = 'none', userId, teamId, cohortId } = query;
  const owner = { userId, teamId };
  const period = periodOf(query, query.timezone ?? counted);
  const earlier = compare === 'previous' ? before(period) : undefined;
  const cohort = await findCohort(tx, cohortId);
  const kept = await readSums(tx, { period, earlier }, { counted, owner, withoutLeads: cohort !== undefined });
  const ofLeads =
    cohort &&
    (await tools.heavy(caller.tenantId, async () => {
      const members = await readMembers(tx, cohort);
      return {
        ofPeriod: await sumsOfCohort(tx, period, { owner, members }),
        ofNow: await cohortSumsOfNow(tx, { owner, members }),
        ofEarlier: earlier ? await sumsOfCohort(tx, earlier, { owner, members }) : [],
      };
    }));
  const { ofPeriod: sums, ofNow, ofEarlier } = ofLeads ? joined(kept, ofLeads) : kept;
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

/** The sums that are kept by day. */
async function readSums(
  tx: Tx,
  { period, earlier }: { period: Period; earlier: Period | undefined },
  { counted, ...reading }: Reading & { counted: string },
): Promise<Sums> {
  const read = (of: Period) => (of.timezone === counted ? sumsOfDays(tx, of, reading) : sumsInZone(tx, of, reading));
  return {
    ofPeriod: await read(period),
    ofNow: await sumsOfNow(tx, reading),
    ofEarlier: earlier ? await read(earlier) : [],
  };
}

function joined(some: Sums, others: Sums): Sums {
  return {
    ofPeriod: [...some.ofPeriod, ...others.ofPeriod],
    ofNow: [...some.ofNow, ...others.ofNow],
    ofEarlier: [...some.ofEarlier, ...others.ofEarlier],
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
