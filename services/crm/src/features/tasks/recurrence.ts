import type { FieldError } from '@tandem/contract';
import type { Recurrence, RecurrenceInput } from '@tandem/crm-contract';
import { checkRule, lastOccurrence, nextOccurrence } from '@tandem/recurrence';
import type { z } from 'zod';
import type { TaskSeries } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { TaskRecord } from './task.ts';

const secondMs = 1_000;

type Input = z.output<typeof RecurrenceInput>;

/** The place of a task in its series; undefined for a task that does not recur. */
export interface SeriesPlace {
  seriesId: number;
  occurrence: number;
  occurrenceAt: Date;
}

export function placeOf({ seriesId, occurrence, occurrenceAt }: TaskRecord): SeriesPlace | undefined {
  if (seriesId === null || occurrence === null || occurrenceAt === null) return undefined;
  return { seriesId, occurrence, occurrenceAt };
}

/** The recurrence of a task as it is shown. */
export function asRecurrence(series: TaskSeries, { occurrence }: SeriesPlace): z.output<typeof Recurrence> {
  return { ...series, until: series.until ?? untilIn(series), occurrence };
}

/**
 * The errors in the recurrence of a request; empty if the task can recur.
 * @param within the place of the recurrence in the body, for the errors: `recurrence.`
 */
export function recurrenceErrors(input: Input, dueAt: Date | null, within = ''): FieldError[] {
  const { rrule, timezone, until, count } = input;
  const error = (field: string, message: string) => [{ field: `${within}${field}`, message }];
  if (dueAt === null) return error('rrule', 'Requires a task with dueAt; set dueAt first');
  const fault = checkRule(rrule);
  if (fault !== undefined) return error('rrule', fault);
  // A response shows the end of the rule beside the rule, so that it can be sent back.
  const isShown = until?.getTime() === untilIn(input)?.getTime();
  const ends = [isShown ? null : until, count === countIn(rrule) ? null : count, endIn(rrule)].filter(
    (end) => end !== null && end !== undefined,
  );
  if (ends.length > 1) return error('until', 'Send only one of until, count, and COUNT or UNTIL in the rule');
  if (until && until < dueAt) return error('until', 'Must not be before dueAt');
  if (nextOccurrence({ rrule: endless(rrule), timezone, start: dueAt }, dueAt)) return [];
  return error('rrule', 'Has no occurrence after dueAt; change the rule');
}

/** Stores a new series that begins with a task, whose due time `recurrenceErrors` has checked. */
export async function startSeries(tx: Tx, input: Input, startAt: Date): Promise<SeriesPlace> {
  const { rrule, timezone } = input;
  const until = untilIn(input) ? null : (input.until ?? null);
  const count = input.count ?? countIn(rrule);
  const { id: seriesId } = await tx.taskSeries.create({ data: { rrule, timezone, startAt, until, count } });
  return { seriesId, occurrence: 1, occurrenceAt: startAt };
}

/** The next place in a series; undefined after its end. */
export function nextPlace(series: TaskSeries, { occurrence, occurrenceAt }: SeriesPlace): SeriesPlace | undefined {
  const { id: seriesId, rrule, timezone, startAt, until, count } = series;
  if (count !== null && occurrence >= count) return undefined;
  // The number of the task is compared with the count, because its first due time need not be one of the rule.
  const next = nextOccurrence({ rrule: withoutCount(rrule), timezone, start: startAt }, occurrenceAt);
  if (!next || (until !== null && next > until)) return undefined;
  return { seriesId, occurrence: occurrence + 1, occurrenceAt: next };
}

function endIn(rrule: string): string | undefined {
  return /(?:^|;)(?:COUNT|UNTIL)=([^;]*)/.exec(rrule)?.[1];
}

/** The UNTIL of a rule, to the second; null if it has none. A date means the whole day. */
function untilIn({ rrule, timezone }: Pick<TaskSeries, 'rrule' | 'timezone'>): Date | null {
  if (!/(?:^|;)UNTIL=/.test(rrule)) return null;
  const last = lastOccurrence({ rrule, timezone, start: new Date(0) });
  return last ? new Date(Math.floor(last.getTime() / secondMs) * secondMs) : null;
}

function countIn(rrule: string): number | null {
  const count = /(?:^|;)COUNT=([0-9]+)/.exec(rrule)?.[1];
  return count === undefined ? null : Number(count);
}

function withoutCount(rrule: string): string {
  return without(rrule, /^COUNT=/);
}

function endless(rrule: string): string {
  return without(rrule, /^(COUNT|UNTIL)=/);
}

function without(rrule: string, part: RegExp): string {
  return rrule
    .split(';')
    .filter((one) => !part.test(one))
    .join(';');
}
