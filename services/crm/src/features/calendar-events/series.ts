import type { Caller } from '@tandem/caller';
import { endedBefore, occurrences, type Series } from '@tandem/recurrence';
import { failField } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { copyAttendees } from './attendees.ts';
import { asEvent, isFromBooking, requireWritable, type StoredEvent, withAttendees, writeEvent } from './event.ts';
import { timeColumns } from './times.ts';

/** The part of a series that a request changes. */
interface SeriesScope {
  scope?: 'this' | 'following' | 'all';
  originalStartAt?: Date;
}

/** The target of a request: a whole event or series, one occurrence, or a series from an occurrence on. */
export type Target = { part: 'whole' } | { part: 'this' | 'following'; occurrence: Date };

/**
 * The target that the scope of a request selects.
 * @throws 422 naming the field, when the event is no series, or has no occurrence at this time
 */
export function targetOf({ row }: StoredEvent, { scope, originalStartAt }: SeriesScope): Target {
  const series = seriesOf(row);
  if (!series) {
    const isException = row.recurringEventId !== null;
    if (scope === 'following' || (scope === 'all' && isException))
      throw failField('scope', 'Applies only to a series; send the id of the series, or omit scope');
    return { part: 'whole' };
  }
  if (scope === undefined || scope === 'all') return { part: 'whole' };
  if (originalStartAt === undefined)
    throw failField('originalStartAt', 'Is required with scope this or following; send the start of the occurrence');
  const to = new Date(originalStartAt.getTime() + 1);
  if (!occurrences(series, { from: originalStartAt, to, max: 1 }).length)
    throw failField('originalStartAt', 'Must be the start of an occurrence of the series');
  const isFirst = originalStartAt.getTime() === row.startAt.getTime();
  if (scope === 'following' && isFirst) return { part: 'whole' };
  return { part: scope, occurrence: originalStartAt };
}

/**
 * Fails unless a request to complete a series says whether it means all of it: future occurrences would be over, too, and
 * nothing can undo that.
 * @throws 422 naming `scope`
 */
export function requireScope({ row }: StoredEvent, { scope }: SeriesScope): void {
  if (row.recurrence !== null && scope === undefined)
    throw failField('scope', 'Is required for a series: `this` completes one occurrence, `all` the whole series');
}

/** The series that an event is; undefined if it does not repeat. */
export function seriesOf({
  recurrence,
  timezone,
  startAt,
}: Pick<StoredEvent['row'], 'recurrence' | 'timezone' | 'startAt'>): Series | undefined {
  return recurrence === null ? undefined : { rrule: recurrence, timezone, start: startAt };
}

/**
 * The event that replaces one occurrence of a locked series, for a caller who may change it; created when there is none
 * yet. The lock of the series serializes requests that change the same occurrence.
 */
export async function exceptionOf(
  tx: Tx,
  series: StoredEvent,
  occurrence: Date,
  { caller, permission }: { caller: Caller; permission: string },
): Promise<StoredEvent> {
  const existing = await tx.calendarEvent.lockFirst({
    where: { recurringEventId: series.row.id, originalStartAt: occurrence },
  });
  if (existing) {
    const [found] = (await withAttendees(tx, [existing])) as [StoredEvent];
    requireWritable(found.record, caller, permission);
    return found;
  }
  const { row } = series;
  const created = await tx.calendarEvent.create({
    data: {
      ...contentOf(series),
      uid: row.uid,
      sequence: row.sequence,
      timezone: row.timezone,
      allDay: row.allDay,
      startAt: occurrence,
      endAt: endOf(series, occurrence),
      recurringEventId: row.id,
      originalStartAt: occurrence,
    },
  });
  const attendees = await copyAttendees(tx, created.id, series.attendees);
  return { row: created, attendees, record: asEvent(created, attendees) };
}

/** Fields that an event shares with the part of a series that it replaces. */
export function contentOf({ row }: StoredEvent) {
  const { title, description, describedByUser, location, joinUrl, visibility } = row;
  const { leadId, opportunityId, organizerId, createdBy } = row;
  return {
    title,
    description,
    describedByUser,
    location,
    joinUrl,
    visibility,
    leadId,
    opportunityId,
    organizerId,
    fromBooking: isFromBooking(row),
    createdBy,
  };
}

/** When an occurrence of an event ends. Whole days keep their number across clock changes. */
export function endOf({ row }: Pick<StoredEvent, 'row'>, startAt: Date): Date {
  const endAt = new Date(startAt.getTime() + row.endAt.getTime() - row.startAt.getTime());
  if (!row.allDay) return endAt;
  // At noon, a clock change of an hour does not reach another day.
  const noon = new Date(endAt.getTime() - halfDayMs);
  const { timezone } = row;
  return timeColumns({ startAt, endAt: noon, timezone, allDay: true, recurrence: null }).endAt;
}

const halfDayMs = 43_200_000;

/** Ends a locked series before an occurrence, as its next version. */
export function endSeries(tx: Tx, series: StoredEvent, occurrence: Date): Promise<StoredEvent> {
  const { row } = series;
  const recurrence = endedBefore(seriesOf(row) as Series, occurrence);
  const { timezone, allDay, startAt, endAt } = row;
  const { seriesEndAt } = timeColumns({ startAt, endAt, timezone, allDay, recurrence });
  return writeEvent(tx, series, { recurrence, seriesEndAt, sequence: row.sequence + 1 });
}
