import { type CohortQuery, type Cohorts, cohortPeriodsByDefault, type cohorts } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { fail, failField } from '@tandem/service';
import { addDays, startOfDay } from '@tandem/time-zones';
import type { z } from 'zod';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { findCohort } from '../cohort-definitions/cohort-definition.ts';
import { readMembers } from '../cohort-definitions/members.ts';
import { readTimezone } from '../counting/index.ts';
import { rounded } from '../dashboard/numbers.ts';
import { type Interval, intervalsOf, lengthOf, nextInterval, type Period, periodOf } from '../dashboard/period.ts';
import { readableLists } from '../dashboard/readable-lists.ts';
import { type Missing, warnOfRemovedEvents } from '../retention/index.ts';
import { rowBytes } from '../timelines/timeline.ts';
import { readDone } from './read-done.ts';
import { readBeginnings, readSources } from './read-rows.ts';

export type Query = z.output<typeof CohortQuery>;
type Reply = z.output<typeof Cohorts>;

const daysByDefault = 90;
const intervalsMax = 366;
const rowsMax = 3_000_000;
const sourcesMax = 50;

export const getCohorts =
  (tools: Tools): Handler<typeof cohorts.getCohorts> =>
  async ({ query, caller, tx, missing }) => {
    const found = await readCohorts(tools, { tx, caller, missing }, query);
    return { ...found, lists: readableLists(found.lists, caller) };
  };

/** Evaluates a cohort analysis. No transaction may be open. */
export async function readCohorts(
  tools: Tools,
  { tx, caller, missing }: { tx: Tx; caller: Caller; missing: Missing },
  query: Query,
): Promise<Reply> {
  const { cohortBy = 'created', interval = 'week', periods = cohortPeriodsByDefault, metric = 'retained' } = query;
  if (metric === 'revenue' && !query.currency) throw failField('currency', 'Is required for the metric revenue');
  const { timezone } = await readTimezone(tx);
  const period = wholeIntervals(query, interval, query.timezone ?? timezone);
  if (metric === 'retained') await warnOfRemovedEvents({ tx, missing }, { part: 'rows', from: period.from });
  const starts = intervalsOf(period, interval);
  checkIntervals(starts.length);
  const boundaries = boundariesOf(starts, { interval, periods, timezone: period.timezone });
  const owner = { userId: query.userId, teamId: query.teamId };
  const cohort = await findCohort(tx, query.cohortId);
  const input = await tools.heavy(caller.tenantId, async () => {
    const members = await readMembers(tx, cohort);
    const sources = cohortBy === 'source' ? await readSources(tx, period, { owner, members, max: sourcesMax }) : [];
    const begun = { from: period.from, to: period.to, cohortBy, owner, members };
    const leads = await readBeginnings(tx, begun, { sources, max: rowsMax });
    checkSize(leads);
    const { currency } = query;
    const done = await readDone(tx, { begun, leads, boundaries, periods, metric, currency, max: rowsMax });
    checkSize(done.rows);
    return { sources, leads, done };
  });
  const { sources, leads, done } = input;
  const counts = await tools.evaluations.run(
    'cohorts',
    {
      ...{ leads, done: done.rows, boundaries, intervals: starts.length, periods, now: Date.now() },
      ...(metric === 'revenue' && { amounts: done.amounts }),
      ...(cohortBy === 'source' && { sources: sources.length }),
    },
    caller.tenantId,
  );
  const names = cohortBy === 'source' ? sources : starts;
  return {
    period: { from: period.from, to: period.to, timezone: period.timezone },
    rows: counts.map(({ size, sizes, values }, index) => ({
      cohort: names[index] ?? null,
      size,
      ...(sizes && { sizes }),
      values: values.map((value) => (value === null ? null : rounded(value, 4))),
    })),
    // No list has the leads of a saved cohort.
    lists: cohort ? [] : listsOf({ cohortBy, starts, boundaries, names }, period, owner),
    generatedAt: new Date(),
  };
}

function checkSize(rows: Buffer): void {
  if (rows.byteLength > rowsMax * rowBytes) throw fail('too_many_events');
}

/** The days of a query, widened to whole intervals. */
function wholeIntervals(query: Query, interval: Interval, timezone: string): Period {
  const given = periodOf(query, timezone, { days: daysByDefault });
  // Before thousands of intervals are made.
  checkIntervals(lengthOf(given) / daysOf[interval]);
  const starts = intervalsOf(given, interval);
  const first = starts[0] as string;
  const last = addDays(nextInterval(starts.at(-1) as string, interval), -1);
  return periodOf({ dateFrom: first, dateTo: last }, timezone);
}

const daysOf = { day: 1, week: 7, month: 31 } as const;

function checkIntervals(count: number): void {
  if (count > intervalsMax) throw failField('dateFrom', `Must be at most ${intervalsMax} intervals before dateTo`);
}

/** The beginnings of all intervals, and of those after them in which a period ends. */
function boundariesOf(
  starts: readonly string[],
  { interval, periods, timezone }: { interval: Interval; periods: number; timezone: string },
): Float64Array {
  const days = [...starts];
  for (let more = 0; more <= periods; more++) days.push(nextInterval(days.at(-1) as string, interval));
  return Float64Array.from(days, (day) => startOfDay(day, timezone).getTime());
}

interface Shown {
  cohortBy: NonNullable<Query['cohortBy']>;
  starts: readonly string[];
  boundaries: Float64Array;
  names: readonly (string | null)[];
}

/** The lists with the leads of each cohort; no list has leads by their first engagement, or without a source. */
function listsOf(
  { cohortBy, starts, boundaries, names }: Shown,
  { from, to }: Period,
  owner: { userId: number | undefined; teamId: number | undefined },
) {
  if (cohortBy === 'first_touch') return [];
  const { userId, teamId } = owner;
  const common = { ...(userId !== undefined && { assignedTo: userId }), ...(teamId !== undefined && { teamId }) };
  const list = (index: number, query: object) => ({
    number: `rows.${index}.size`,
    path: '/v1/leads',
    query: { ...common, ...query },
  });
  if (cohortBy === 'source')
    return names.flatMap((source, index) =>
      source === null ? [] : [list(index, { source, createdFrom: from, createdTo: new Date(to.getTime() - 1) })],
    );
  return starts.map((_, index) =>
    list(index, {
      createdFrom: new Date(boundaries[index] as number),
      createdTo: new Date((boundaries[index + 1] as number) - 1),
    }),
  );
}
