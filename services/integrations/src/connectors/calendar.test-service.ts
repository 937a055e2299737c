// Test helpers of the calendars: events of the platform, and a sync with a local provider.
import type { CalendarRecord } from './calendar-fields.ts';
import type { Connector } from './connector.ts';
import { openReading } from './reading.test-service.ts';
import type { CalendarFields, Cursor, OutgoingEvent, Sync } from './sync.ts';

export const hours = (count: number) => count * 3_600_000;
export const days = (count: number) => hours(24) * count;

const today = Date.now();

/** The current year: its December is in a period of 365 past days and 730 days ahead, and has no change of clocks. */
export const year = new Date(today).getUTCFullYear();

/** A day near today, at a clock time in UTC. */
export function dayAt(offset: number, clock = '09:00'): string {
  const day = new Date(today + days(offset)).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return `${day}T${clock}:00.000Z`;
}

/** The fields of an event of one hour, tomorrow. */
export function someFields(fields: Partial<CalendarFields> = {}): CalendarFields {
  return {
    title: 'Demo',
    description: null,
    startAt: dayAt(1),
    endAt: dayAt(1, '10:00'),
    timezone: 'Europe/Berlin',
    allDay: false,
    location: null,
    joinUrl: null,
    visibility: 'default',
    recurrence: null,
    ...fields,
  };
}

export function anEvent(fields: Partial<CalendarFields> = {}, event: Partial<OutgoingEvent> = {}): OutgoingEvent {
  return { id: 'OTl0xjdcF3Q0Rb9t', fields: someFields(fields), status: 'scheduled', attendees: [], ...event };
}

/** Reads and writes one calendar. */
export function syncOf(connector: Connector, url: string) {
  const reading = openReading(connector, { url, token: 'token' });
  const { call, close } = reading;
  const push = connector.sync?.push as NonNullable<Sync['push']>;
  const read = (cursor: Cursor | null, settings: Record<string, unknown> = {}) => reading.read(cursor, { settings });
  return {
    close,
    read,
    /** Reads all pages of a run; returns the records and the cursor of the next run. */
    async run(cursor: Cursor | null = null, settings: Record<string, unknown> = {}) {
      const records: CalendarRecord[] = [];
      let at = cursor;
      for (let pages = 1; ; pages++) {
        const page = await read(at, settings);
        records.push(...(page.records as CalendarRecord[]));
        // The platform stores a cursor as JSON.
        at = JSON.parse(JSON.stringify(page.cursor));
        if (page.isLast) return { records, cursor: at as Cursor, pages };
        if (pages > 50) throw new Error('The run has no end');
      }
    },
    put: (event: OutgoingEvent, record: CalendarRecord | null = null, settings: Record<string, unknown> = {}) =>
      push.put({ call, settings }, event, record && { externalId: record.id, version: record.version }),
    isGone: (id: string, settings: Record<string, unknown> = {}) => connector.sync?.isGone?.({ call, settings }, id),
    remove: (record: CalendarRecord, settings: Record<string, unknown> = {}) =>
      push.remove({ call, settings }, { externalId: record.id, version: record.version }),
  };
}
