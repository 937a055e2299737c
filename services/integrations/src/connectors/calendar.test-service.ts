// Test helpers of the calendars: calls to a local provider, events of the platform, and runs.
import { createOauthClient } from '../providers/oauth-client.ts';
import type { CalendarRecord } from './calendar-fields.ts';
import { callOf } from './call.ts';
import type { Call, Connector } from './connector.ts';
import type { CalendarFields, Cursor, OutgoingEvent, Sync } from './sync.ts';

type Fetch = (url: string, options: object) => Promise<Response>;

/** The calls of a connection to a provider at a loopback address. */
export function callTo(connector: Connector, url: string): Call {
  const settings = { OAUTH_GOOGLE_URL: url, OAUTH_MICROSOFT_URL: url };
  const oauth = createOauthClient({ settings, fetch: fetch as Fetch, allowHttp: true });
  return callOf(connector, { accessToken: 'token' }, { fetch: fetch as Fetch, oauth, stripeUrl: undefined });
}

export const hours = (count: number) => count * 3_600_000;
export const days = (count: number) => hours(24) * count;

/** A day near today, at a clock time in UTC. */
export function dayAt(offset: number, clock = '09:00'): string {
  const day = new Date(Date.now() + days(offset)).toISOString().slice(0, 'YYYY-MM-DD'.length);
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
  const call = callTo(connector, url);
  const sync = connector.sync as Sync;
  const push = sync.push as NonNullable<Sync['push']>;
  const read = (cursor: Cursor | null, settings: object = {}) =>
    sync.read({
      call,
      secret: {},
      sockets: { connect: () => Promise.reject(new Error('No socket is needed')), allowsPlain: true },
      settings: { ...settings },
      cursor,
      fieldMappings: [],
    });
  return {
    read,
    /** Reads all pages of a run; returns the records and the cursor of the next run. */
    async run(cursor: Cursor | null = null, settings: object = {}) {
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
    remove: (record: CalendarRecord, settings: Record<string, unknown> = {}) =>
      push.remove({ call, settings }, { externalId: record.id, version: record.version }),
  };
}
