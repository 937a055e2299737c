import { eventDaysMax } from '@tandem/crm-contract';
import { inTurns } from '@tandem/process';
import { occurrences } from '@tandem/recurrence';
import type { Tx } from '../../handler.ts';
import { type StoredEvent, withAttendees } from '../calendar-events/event.ts';
import { endOf, seriesOf } from '../calendar-events/series.ts';
import type { Period } from './working-hours.ts';

/** An event, or one occurrence of a series. */
export interface Occurrence {
  event: StoredEvent;
  startAt: Date;
  endAt: Date;
  /** The start of the occurrence, as the series has it; null for an event that does not repeat. */
  originalStartAt: Date | null;
}

interface Wanted {
  /** Which events are read. */
  where: object;
  period: Period;
  /** How many events, and how many series, are read at most. */
  max: number;
}

const dayMs = 86_400_000;
// An hour more than whole days, because clocks can go back.
const lengthMaxMs = eventDaysMax * dayMs + dayMs / 24;

/** The events within a period by time, with the occurrences of series, without cancelled ones. */
export async function readOccurrences(tx: Tx, { where, period, max }: Wanted): Promise<Occurrence[]> {
  const { from, to } = period;
  const earliest = new Date(from.getTime() - lengthMaxMs);
  const notCancelled = { status: { not: 'cancelled' } };
  const [single, series] = [
    await tx.calendarEvent.findMany({
      where: {
        AND: [where, notCancelled, { recurrence: null, startAt: { gt: earliest, lt: to }, endAt: { gt: from } }],
      },
      orderBy: [{ startAt: 'asc' }, { id: 'asc' }],
      take: max,
    }),
    await tx.calendarEvent.findMany({
      where: {
        AND: [
          where,
          notCancelled,
          {
            recurrence: { not: null },
            startAt: { lt: to },
            OR: [{ seriesEndAt: null }, { seriesEndAt: { gt: from } }],
          },
        ],
      },
      orderBy: [{ startAt: 'asc' }, { id: 'asc' }],
      take: max,
    }),
  ];
  const events = await withAttendees(tx, [...single, ...series]);
  const replaced = await replacedOccurrences(
    tx,
    series.map(({ id }) => id),
    { from: earliest, to },
  );
  const found = await inTurns(events, (event) =>
    occurrencesOf(event, { period, replaced: replaced.get(event.row.id) ?? new Set(), max }),
  );
  return found
    .flat()
    .sort((one, other) => one.startAt.getTime() - other.startAt.getTime() || one.event.row.id - other.event.row.id);
}

/** The occurrences of each series that other events replace, also cancelled ones. */
async function replacedOccurrences(
  tx: Tx,
  seriesIds: number[],
  { from, to }: Period,
): Promise<Map<number, Set<number>>> {
  if (!seriesIds.length) return new Map();
  const rows = await tx.calendarEvent.findMany({
    where: { recurringEventId: { in: seriesIds }, originalStartAt: { gte: from, lt: to } },
    select: { recurringEventId: true, originalStartAt: true },
  });
  const bySeries = Map.groupBy(rows, ({ recurringEventId }) => recurringEventId as number);
  return new Map(
    [...bySeries].map(([id, all]) => [id, new Set(all.map((one) => (one.originalStartAt as Date).getTime()))]),
  );
}

function occurrencesOf(
  event: StoredEvent,
  { period, replaced, max }: { period: Period; replaced: ReadonlySet<number>; max: number },
): Occurrence[] {
  const { row } = event;
  const series = seriesOf(row);
  if (!series) return [{ event, startAt: row.startAt, endAt: row.endAt, originalStartAt: row.originalStartAt }];
  // An occurrence that begins before the period can reach into it.
  const from = new Date(period.from.getTime() - (row.endAt.getTime() - row.startAt.getTime()) - dayMs);
  return occurrences(series, { from, to: period.to, max })
    .filter((startAt) => !replaced.has(startAt.getTime()))
    .map((startAt) => ({ event, startAt, endAt: endOf(event, startAt), originalStartAt: startAt }))
    .filter(({ endAt }) => endAt > period.from);
}
