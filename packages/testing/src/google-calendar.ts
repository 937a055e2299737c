// A local Google Calendar: the calls about events, with the fields, statuses and errors that Google documents.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { occurrences } from '@tandem/recurrence';
import { dayOf, startOfDay } from '@tandem/time-zones';

type Event = Record<string, unknown> & { id: string };
type Time = { date?: string; dateTime?: string; timeZone?: string };

interface Request {
  method: string;
  path: string;
  query: Record<string, string>;
  body: Record<string, unknown> | undefined;
}

interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

interface Failing {
  headers?: Record<string, string>;
  after?: number;
}

const base = '/calendar/v3/calendars/';
const dayMs = 86_400_000;
const filters = ['timeMin', 'timeMax', 'q', 'orderBy', 'updatedMin', 'iCalUID', 'privateExtendedProperty'];

class Refused extends Error {
  readonly answer: Answer;
  constructor(status: number, reason: string, headers: Record<string, string> = {}) {
    super(reason);
    const error = { code: status, message: reason, errors: [{ domain: 'global', reason, message: reason }] };
    this.answer = { status, headers, body: { error } };
  }
}

/** Makes the calendar `primary`, and `team@group.calendar.google.com`, which has no events. */
export function createGoogleCalendar() {
  const events = new Map<string, Event>();
  /** The number of the last change of an event. */
  const changes = new Map<string, number>();
  const failures: { refusal: Refused; after: number }[] = [];
  const requests: Request[] = [];
  let lastChange = 0;
  let oldestToken = 0;
  let interruption: (() => void) | undefined;
  const state = { timeZone: 'Europe/Berlin' as unknown, account: 'ada@example.com', mails: 0 };

  const put = (event: Event): Event => {
    lastChange += 1;
    const stored = { ...event, etag: `"${lastChange}"` };
    events.set(event.id, stored);
    changes.set(event.id, lastChange);
    return stored;
  };

  const instancesOf = (series: Event, from: Date, to: Date): Event[] => {
    const start = series['start'] as Time;
    const end = series['end'] as Time;
    const timezone = start.timeZone ?? String(state.timeZone);
    const first = instantOf(start, timezone);
    const rules = (series['recurrence'] as string[]).filter((line) => line.startsWith('RRULE:'));
    const rrule = rules[0]?.slice('RRULE:'.length) ?? 'FREQ=DAILY;COUNT=1';
    const found = occurrences({ rrule, timezone, start: first }, { from, to, max: 500 });
    const lengthMs = instantOf(end, timezone).getTime() - first.getTime();
    const { recurrence, etag, ...shared } = series;
    return found.map((at) => {
      const day = dayOf(at, timezone);
      const time = (moment: Date): Time =>
        start.date === undefined
          ? { dateTime: moment.toISOString(), timeZone: timezone }
          : { date: dayOf(moment, timezone) };
      const stamp = start.date === undefined ? at.toISOString().replace(/[-:]|\.\d{3}/g, '') : day.replaceAll('-', '');
      const id = `${series.id}_${stamp}`;
      const changed = events.get(id);
      if (changed) return changed;
      const last = new Date(at.getTime() + lengthMs);
      return {
        ...shared,
        id,
        etag: `"${String(etag)}"`,
        start: time(at),
        end: time(last),
        recurringEventId: series.id,
        originalStartTime: time(at),
      };
    });
  };

  /** An event, or an instance of a series, by its id. */
  const find = (id: string): Event => {
    const event = events.get(id);
    if (event) return event;
    const [, seriesId = '', stamp = ''] = /^(.+)_(\d{8}(?:T\d{6}Z)?)$/.exec(id) ?? [];
    const series = events.get(seriesId);
    if (!series || series['status'] === 'cancelled' || !series['recurrence']) throw new Refused(404, 'notFound');
    const day = Date.parse(stamp.slice(0, 8).replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3'));
    const near = instancesOf(series, new Date(day - 2 * dayMs), new Date(day + 2 * dayMs));
    const instance = near.find((one) => one.id === id);
    if (!instance) throw new Refused(404, 'notFound');
    return instance;
  };

  const remove = (id: string): void => {
    const { recurringEventId, originalStartTime, status } = find(id);
    if (status === 'cancelled') throw new Refused(410, 'deleted');
    put({ id, status: 'cancelled', ...(recurringEventId !== undefined && { recurringEventId, originalStartTime }) });
    for (const other of [...events.values()])
      if (other['recurringEventId'] === id) put({ ...other, status: 'cancelled' });
  };

  const list = (query: Record<string, string>) => {
    const { syncToken, pageToken, maxResults = '250', timeMin, timeMax } = query;
    if (syncToken !== undefined && filters.some((name) => name in query)) throw new Refused(400, 'invalid');
    if (syncToken !== undefined && query['showDeleted'] === 'false') throw new Refused(400, 'invalid');
    const since = syncToken === undefined ? 0 : Number(/^sync-(\d+)$/.exec(syncToken)?.[1] ?? -1);
    if (since < oldestToken && syncToken !== undefined) throw new Refused(410, 'fullSyncRequired');
    const isInPeriod = (event: Event) => {
      if (event['status'] === 'cancelled') return query['showDeleted'] === 'true';
      const [start, end] = [event['start'], event['end']].map((time) => instantOf(time as Time, 'UTC')) as [Date, Date];
      const isOver = !event['recurrence'] && timeMin !== undefined && end <= new Date(timeMin);
      return !isOver && !(timeMax !== undefined && start >= new Date(timeMax));
    };
    const isWanted = (event: Event) =>
      syncToken === undefined ? isInPeriod(event) : (changes.get(event.id) as number) > since;
    // Instances may be returned before their series: the order is not specified.
    const all = [...events.values()].filter(isWanted).sort((one, other) => (one.id < other.id ? 1 : -1));
    const offset = Number(pageToken?.slice('page-'.length) ?? 0);
    const end = offset + Math.min(Number(maxResults), 2_500);
    return {
      kind: 'calendar#events',
      summary: state.account,
      timeZone: state.timeZone,
      items: all.slice(offset, end),
      ...(end < all.length ? { nextPageToken: `page-${end}` } : { nextSyncToken: `sync-${lastChange}` }),
    };
  };

  const write = (id: string, event: Record<string, unknown>, query: Record<string, string>): Event => {
    check(event);
    if (query['sendUpdates'] !== 'none' && (event['attendees'] as unknown[] | undefined)?.length) state.mails += 1;
    const { conferenceData, hangoutLink, ...writable } = event;
    const kept = events.get(id);
    const own = { conferenceData: kept?.['conferenceData'], hangoutLink: kept?.['hangoutLink'] };
    return put({
      ...structuredClone(writable),
      ...JSON.parse(JSON.stringify(own)),
      status: event['status'] ?? 'confirmed',
      id,
    });
  };

  const answerTo = ({ method, path, query, body }: Request, ifMatch: string | undefined): Answer => {
    const [calendarId = '', kind, id, sub] = path.slice(base.length).split('/').map(decodeURIComponent);
    if (
      !path.startsWith(base) ||
      kind !== 'events' ||
      !['primary', 'team@group.calendar.google.com'].includes(calendarId)
    )
      throw new Refused(404, 'notFound');
    if (calendarId !== 'primary') {
      if (id !== undefined || method !== 'GET') throw new Refused(404, 'notFound');
      const empty = { kind: 'calendar#events', timeZone: state.timeZone, items: [], nextSyncToken: 'sync-0' };
      return { status: 200, body: empty };
    }
    if (id === undefined && method === 'GET') return { status: 200, body: fieldsOf(list(query), query['fields']) };
    if (id === undefined && method === 'POST') {
      const wanted = String(body?.['id']);
      if (!/^[a-v0-9]{5,1024}$/.test(wanted)) throw new Refused(400, 'invalid');
      if (events.has(wanted)) throw new Refused(409, 'duplicate');
      return { status: 200, body: write(wanted, body ?? {}, query) };
    }
    if (id === undefined) throw new Refused(404, 'notFound');
    if (sub === 'instances' && method === 'GET') {
      const [from, to] = [query['timeMin'], query['timeMax']].map((time) => new Date(String(time))) as [Date, Date];
      const items = instancesOf(find(id), from, to);
      return {
        status: 200,
        body: { items: items.filter((event) => event['status'] !== 'cancelled' || query['showDeleted']) },
      };
    }
    if (method === 'GET') return { status: 200, body: find(id) };
    if (method === 'DELETE') {
      remove(id);
      return { status: 204 };
    }
    if (method !== 'PUT') throw new Refused(404, 'notFound');
    interruption?.();
    interruption = undefined;
    if (ifMatch !== undefined && find(id)['etag'] !== ifMatch) throw new Refused(412, 'conditionNotMet');
    return { status: 200, body: write(find(id).id, body ?? {}, query) };
  };

  return {
    events,
    requests,
    state,
    /** The user puts an event into the calendar, or changes some fields of one. */
    edit: (event: Event): Event =>
      put({ status: 'confirmed', ...(events.get(event.id) ?? instanceOrNone(find, event.id)), ...event }),
    /** The user deletes an event, or an instance of a series. */
    remove,
    /** A request fails: the next one, or one after it. */
    failNext: (status: number, reason: string, { headers, after = 0 }: Failing = {}) =>
      void failures.push({ refusal: new Refused(status, reason, headers), after }),
    /** Runs before the next replacement of an event, after it was read. */
    interrupt(work: () => void) {
      interruption = work;
    },
    /** Sync tokens that were issued are not accepted any more. */
    expireTokens() {
      lastChange += 1;
      oldestToken = lastChange;
    },
    /** Answers a request whose path begins with `/calendar/`. */
    async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      const url = new URL(request.url ?? '', 'http://localhost');
      const received: Request = {
        method: String(request.method),
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        body: text === '' ? undefined : JSON.parse(text),
      };
      requests.push(received);
      const { status, body, headers } = attempt(() => {
        const [failure] = failures;
        if (!failure || failure.after-- > 0) return answerTo(received, request.headers['if-match']);
        failures.shift();
        throw failure.refusal;
      });
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body === undefined ? undefined : JSON.stringify(body));
    },
  };
}

export type GoogleCalendar = ReturnType<typeof createGoogleCalendar>;

/** Starts a server that answers the calls about a calendar, with any token. */
export async function startGoogleCalendar() {
  const calendar = createGoogleCalendar();
  const server = createServer((request, response) => void calendar.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ...calendar,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function attempt(answer: () => Answer): Answer {
  try {
    return answer();
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
}

function instanceOrNone(find: (id: string) => Event, id: string): object {
  try {
    return find(id);
  } catch {
    return {};
  }
}

function fieldsOf(body: object, names: string | undefined): object {
  if (names === undefined) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.split(',').includes(name)));
}

function instantOf({ date, dateTime }: Time, timezone: string): Date {
  return date === undefined ? new Date(String(dateTime)) : startOfDay(date, timezone);
}

/** Refuses an event that Google refuses. */
function check(event: Record<string, unknown>): void {
  const [start, end] = [event['start'], event['end']] as [Time | undefined, Time | undefined];
  if (!start || !end) throw new Refused(400, 'required');
  if ((start.date === undefined) !== (end.date === undefined)) throw new Refused(400, 'invalid');
  if ([start, end].some((time) => (time.date === undefined) === (time.dateTime === undefined)))
    throw new Refused(400, 'invalid');
  if (instantOf(end, 'UTC') < instantOf(start, 'UTC')) throw new Refused(400, 'timeRangeEmpty');
  const lines = event['recurrence'] as string[] | undefined;
  if (lines && (start.timeZone === undefined || end.timeZone === undefined)) throw new Refused(400, 'required');
  for (const line of lines ?? []) {
    if (!/^(RRULE|EXRULE|RDATE|EXDATE)[:;]/.test(line)) throw new Refused(400, 'invalid');
    const until = /UNTIL=([^;]*)/.exec(line)?.[1];
    const form = start.date === undefined ? /^\d{8}T\d{6}Z$/ : /^\d{8}$/;
    if (until !== undefined && !form.test(until)) throw new Refused(400, 'invalid');
  }
}
