// How a sync reads a calendar from page to page and from run to run.
import { z } from 'zod';
import { type CalendarRecord, deletedRecord, type Occurrence } from './calendar-fields.ts';
import type { CalendarSettings } from './calendar-settings.ts';
import { CallError } from './connector.ts';
import { CursorExpiredError, type SyncContext, type SyncPage } from './sync.ts';

/**
 * The maximum number of events of a page. Half of the records of a page are for series that its occurrences belong to,
 * because calendars return series and occurrences in any order.
 */
export const pageEvents = 50;
const recordsMax = 100;
const dayMs = 86_400_000;

/** An occurrence that does not take place, and the id of its record. */
export type Cancelled = [id: string, seriesId: string, originalStartAt: string];

const Stored = z.object({
  /** The settings that the cursor depends on. */
  scope: z.string(),
  /** The end of the period that the provider reports changes of. */
  until: z.number(),
  next: z.string().nullable(),
  /** Whether the next request begins a run. */
  isEnd: z.boolean(),
  cancelled: z.array(z.tuple([z.string(), z.string(), z.string()])),
});
type Stored = z.output<typeof Stored>;

export interface Period {
  from: Date;
  to: Date;
}

export interface CalendarPage {
  records: CalendarRecord[];
  cancelled: Cancelled[];
  /** The next request; null for the first one about a new period. */
  next: string | null;
  isEnd: boolean;
}

/**
 * Reads a page of a calendar.
 * @param calendarId a setting, with which the calendar changes
 * @param load sends the request `next`, or the first request about a period
 * @throws CursorExpiredError when settings have changed, or half of the days ahead have passed: providers keep to the
 * period of the first request
 */
export async function readCalendar(
  { cursor }: Pick<SyncContext, 'cursor'>,
  { calendarId = '', direction, daysBack, daysAhead }: CalendarSettings & { calendarId?: string | undefined },
  load: (next: string | null, period: Period) => Promise<CalendarPage>,
): Promise<SyncPage> {
  if (direction === 'push') return { records: [], cursor: {}, isLast: true };
  const now = Date.now();
  const period = { from: new Date(now - daysBack * dayMs), to: new Date(now + daysAhead * dayMs) };
  const scope = JSON.stringify([calendarId, daysBack, daysAhead]);
  const stored = cursor && storedIn(cursor);
  const isOld = stored?.isEnd && stored.until - now < (daysAhead * dayMs) / 2;
  if (stored && (stored.scope !== scope || isOld)) throw new CursorExpiredError();
  if (stored?.cancelled.length) return pageOf([], stored.cancelled, stored);
  const { records, cancelled, next, isEnd } = await load(stored?.next ?? null, period);
  return pageOf(records, cancelled, { scope, until: stored?.next ? stored.until : period.to.getTime(), next, isEnd });
}

/** Requests a page, and a smaller one if the response is too large. */
export async function readSmaller<Page>(read: (eventsMax: number) => Promise<Page>): Promise<Page> {
  for (const max of [pageEvents, 10]) {
    try {
      return await read(max);
    } catch (error) {
      if (!(error instanceof CallError && error.isTooLarge)) throw error;
    }
  }
  return read(1);
}

/** A page with as many cancelled occurrences as it can have; the cursor has the others. */
function pageOf(records: CalendarRecord[], cancelled: Cancelled[], rest: Omit<Stored, 'cancelled'>): SyncPage {
  const room = Math.max(0, recordsMax - records.length);
  const later = cancelled.slice(room);
  const deleted = cancelled.slice(0, room).map(([id, seriesId, originalStartAt]) => {
    const occurrence: Occurrence = { seriesId, originalStartAt };
    return deletedRecord(id, occurrence);
  });
  return {
    records: [...records, ...deleted],
    cursor: { ...rest, cancelled: later },
    isLast: rest.isEnd && !later.length,
  };
}

function storedIn(cursor: Record<string, unknown>): Stored {
  const { data } = Stored.safeParse(cursor);
  if (!data) throw new CursorExpiredError();
  return data;
}
