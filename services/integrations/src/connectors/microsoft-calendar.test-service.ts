// A local Microsoft Graph: the calls about events and the account, with the fields, statuses and errors that Microsoft documents.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Answer,
  check,
  expanded,
  instantOf,
  type Json,
  Refused,
  rendered,
  type Stored,
  type Time,
  timeAt,
} from './microsoft-event.test-service.ts';

interface Request {
  method: string;
  path: string;
  query: Record<string, string>;
  body: Json | undefined;
  prefer: string;
}

interface Failing {
  headers?: Record<string, string>;
  after?: number;
}

const origin = 'https://graph.microsoft.com';
const batchMax = 20;
/** Starts a server that answers the calls about the default calendar and the calendar `team`, which have the same events. */
export async function startMicrosoftCalendar() {
  const events = new Map<string, Stored>();
  const removals = new Map<string, number>();
  const failures: { refusal: Refused; after: number }[] = [];
  const requests: Request[] = [];
  /** `invitations`: how often Exchange would have mailed attendees. `omits`: what a list of changes does not have. */
  const state = { conflicts: false, invitations: 0, omits: [] as string[], oldestToken: 0 };
  let lastChange = 1;

  const store = (id: string, fields: Json, kept?: Stored): Stored => {
    lastChange += 1;
    const { changed, cancelled } = kept ?? { changed: new Map(), cancelled: new Set() };
    const stored = { id, change: lastChange, fields, changed, cancelled };
    events.set(id, stored);
    return stored;
  };

  const typed = (event: Stored, prefer: string): Json => {
    const isSeries = Boolean(event.fields['recurrence']);
    return rendered(
      event,
      { ...event.fields, id: event.id, type: isSeries ? 'seriesMaster' : 'singleInstance' },
      prefer,
    );
  };

  const occurrencesOf = (series: Stored, from: Date, to: Date, prefer: string): Json[] => {
    const start = series.fields['start'] as Time;
    const lengthMs = instantOf(series.fields['end'] as Time).getTime() - instantOf(start).getTime();
    return expanded(series.fields).flatMap((day) => {
      if (series.cancelled.has(day)) return [];
      const at = `${day}${start.dateTime.slice('YYYY-MM-DD'.length)}`;
      const first = instantOf({ ...start, dateTime: at });
      const own = {
        id: `${series.id}.OCC.${day}`,
        seriesMasterId: series.id,
        start: { ...start, dateTime: at },
        end: timeAt(new Date(first.getTime() + lengthMs), start.timeZone),
      };
      const changed = series.changed.get(day);
      const { recurrence, transactionId, ...shared } = series.fields;
      const originalStart = first.toISOString();
      const event = changed
        ? rendered(series, { ...shared, ...own, ...changed, type: 'exception', originalStart }, prefer)
        : rendered(series, { ...shared, ...own, type: 'occurrence', originalStart: null }, prefer);
      const begins = instantOf(event['start'] as Time);
      return begins >= from && begins < to ? [event] : [];
    });
  };

  const find = (id: string): { stored: Stored; day: string | undefined } => {
    const [seriesId = '', day] = id.split('.OCC.');
    const stored = events.get(seriesId);
    if (!stored || (day !== undefined && (stored.cancelled.has(day) || !expanded(stored.fields).includes(day))))
      throw new Refused(404, 'ErrorItemNotFound');
    return { stored, day };
  };

  const read = (id: string, prefer: string): Json => {
    const { stored, day } = find(id);
    if (day === undefined) return typed(stored, prefer);
    return occurrencesOf(stored, new Date(0), new Date('9999-12-31'), prefer).find((one) => one['id'] === id) as Json;
  };

  const change = (id: string, fields: Json): void => {
    const { stored, day } = find(id);
    if (day === undefined) {
      store(id, { ...stored.fields, ...fields }, stored);
      return;
    }
    stored.changed.set(day, { ...stored.changed.get(day), ...fields });
    store(stored.id, stored.fields, stored);
  };

  const remove = (id: string): void => {
    const { stored, day } = find(id);
    if (day !== undefined) {
      stored.changed.delete(day);
      stored.cancelled.add(day);
      store(stored.id, stored.fields, stored);
      return;
    }
    lastChange += 1;
    events.delete(id);
    removals.set(id, lastChange);
    for (const each of stored.fields['recurrence'] ? expanded(stored.fields) : [])
      removals.set(`${id}.OCC.${each}`, lastChange);
  };

  const changes = ({ query, prefer, path }: Request): Json => {
    const token = query['$deltatoken'] ?? query['$skiptoken'];
    const [since = 0, from = 0, to = 0, offset = 0] = token?.split('-').map(Number) ?? [
      0,
      Date.parse(String(query['startDateTime'])),
      Date.parse(String(query['endDateTime'])),
    ];
    if (Number.isNaN(from + to)) throw new Refused(400, 'ErrorInvalidParameter');
    if (token !== undefined && since < state.oldestToken) throw new Refused(410, 'SyncStateNotFound');
    const period: [Date, Date] = [new Date(from), new Date(to)];
    const removed = (id: string) => ({ id, '@removed': { reason: 'deleted' } });
    const partly = (event: Json) =>
      Object.fromEntries(Object.entries(event).filter(([name]) => !state.omits.includes(name)));
    const minimal = ({ id, seriesMasterId, start, end }: Json) => ({
      id,
      seriesMasterId,
      start,
      end,
      type: 'occurrence',
    });
    const changed = [...events.values()].filter((event) => event.change > since);
    const items = changed.flatMap((event) => {
      const [start, end] = [instantOf(event.fields['start'] as Time), instantOf(event.fields['end'] as Time)];
      if (!event.fields['recurrence']) {
        if (start < period[1] && end > period[0]) return [partly(typed(event, prefer))];
        return since > 0 ? [removed(event.id)] : [];
      }
      const instances = occurrencesOf(event, ...period, prefer);
      if (!instances.length) return since > 0 ? [removed(event.id)] : [];
      // A changed occurrence may be before its series: the order is not specified.
      const exceptions = instances.filter(({ type }) => type === 'exception').map(partly);
      const others = instances.filter(({ type }) => type === 'occurrence').map(minimal);
      return [...exceptions, ...others, partly(typed(event, prefer))];
    });
    const gone = [...removals].filter(([, at]) => since > 0 && at > since).map(([id]) => removed(id));
    const all = [...gone, ...items];
    const max = Number(/odata\.maxpagesize=(\d+)/.exec(prefer)?.[1] ?? 10);
    const link = (name: string, state: number[]) => ({
      [`@odata.${name}`]: `${origin}${path}?$${name === 'nextLink' ? 'skip' : 'delta'}token=${state.join('-')}`,
    });
    const next = offset + max;
    return {
      value: all.slice(offset, next),
      ...(next < all.length ? link('nextLink', [since, from, to, next]) : link('deltaLink', [lastChange, from, to])),
    };
  };

  const insert = (body: Json): Answer => {
    check(body);
    const twin = [...events.values()].find(({ fields }) => fields['transactionId'] === body['transactionId']);
    if (twin && body['transactionId'] !== undefined) {
      if (state.conflicts) throw new Refused(409, 'ErrorDuplicateTransactionId');
      return { status: 201, body: typed(twin, '') };
    }
    if (body['attendees']) state.invitations += 1;
    const id = `AAMk${events.size + removals.size}${'x'.repeat(120)}=`;
    return { status: 201, body: typed(store(id, body), '') };
  };

  const answerTo = (request: Request): Answer => {
    const { method, path, query, body, prefer } = request;
    const parts = path.split('/').slice(1).map(decodeURIComponent);
    if (path === '/v1.0/$batch' && method === 'POST') return batch(request);
    const own = path.replace(/^\/v1\.0\/me(\/calendars\/team)?/, '');
    if (own === path || path.includes('/calendars/other')) throw new Refused(404, 'ErrorItemNotFound');
    if (own === '') return { status: 200, body: { id: 'ada', userPrincipalName: 'ada@example.com' } };
    if (own === '/calendarView/delta' && method === 'GET') return { status: 200, body: changes(request) };
    if (own === '/events' && method === 'POST') return insert(body ?? {});
    if (own === '/events' && method === 'GET') {
      const value = /ep\/value eq '([^']*)'/.exec(String(query['$filter']))?.[1];
      const isCopy = ({ fields }: Stored) =>
        ((fields['singleValueExtendedProperties'] as Json[] | undefined) ?? []).some((one) => one['value'] === value);
      return { status: 200, body: { value: [...events.values()].filter(isCopy).map((event) => typed(event, prefer)) } };
    }
    const id = String(parts[3]);
    if (path.endsWith('/instances')) {
      const [from, to] = [new Date(String(query['startDateTime'])), new Date(String(query['endDateTime']))];
      const value = occurrencesOf(find(id).stored, from, to, prefer).slice(0, Number(query['$top'] ?? 10));
      return { status: 200, body: { value } };
    }
    if (method === 'GET' && query['$select']) {
      const { stored } = find(id);
      const cancelledOccurrences = [...stored.cancelled].map((day) => `OID.${id}.${day}`);
      return { status: 200, body: { id, cancelledOccurrences } };
    }
    if (method === 'GET') return { status: 200, body: read(id, prefer) };
    if (method === 'DELETE') {
      remove(id);
      return { status: 204 };
    }
    if (method !== 'PATCH') throw new Refused(405, 'ErrorInvalidRequest');
    const { singleValueExtendedProperties, ...current } = read(id, '');
    check({ ...current, ...body });
    if (current['type'] === 'exception' && body?.['recurrence']) throw new Refused(400, 'ErrorInvalidRequest');
    if (body?.['attendees']) state.invitations += 1;
    change(id, body ?? {});
    return { status: 200, body: read(id, prefer) };
  };

  const batch = ({ body }: Request): Answer => {
    const wanted = body?.['requests'] as { id: string; method: string; url: string; headers?: Json }[];
    if (wanted.length > batchMax) throw new Refused(400, 'MaximumValueExceeded');
    const responses = wanted.map(({ id, method, url, headers }) => {
      const { pathname, searchParams } = new URL(`/v1.0${url}`, origin);
      const query = Object.fromEntries(searchParams);
      const request = { method, path: pathname, query, body: undefined, prefer: String(headers?.['Prefer'] ?? '') };
      return { id, ...attempt(() => failOr(() => answerTo(request))) };
    });
    return { status: 200, body: { responses: responses.reverse() } };
  };

  const failOr = (answer: () => Answer): Answer => {
    const [failure] = failures;
    if (!failure || failure.after-- > 0) return answer();
    failures.shift();
    throw failure.refusal;
  };

  const server = createServer(async (message: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const url = new URL(message.url ?? '', origin);
    const account = accountCalls[url.pathname];
    if (account)
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(account));
    const request: Request = {
      method: String(message.method),
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      body: text === '' ? undefined : JSON.parse(text),
      prefer: String(message.headers['prefer'] ?? ''),
    };
    requests.push(request);
    const isBatch = request.path.endsWith('$batch');
    const { status, body, headers } = attempt(() => (isBatch ? answerTo(request) : failOr(() => answerTo(request))));
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    events,
    requests,
    state,
    /** The user puts an event into the calendar. */
    add: (id: string, fields: Json) => void store(id, fields),
    /** The user changes an event, or an occurrence of a series: `<id>.OCC.2026-03-10`. */
    edit: change,
    /** The user deletes an event, or an occurrence of a series. */
    remove,
    /** A request fails: the next one, or one after it. The requests of a batch count, and the batch does not. */
    failNext: (status: number, code: string, { headers, after = 0 }: Failing = {}) =>
      void failures.push({ refusal: new Refused(status, code, headers), after }),
    /** The links that were returned are not accepted any more. */
    expireLinks() {
      lastChange += 1;
      state.oldestToken = lastChange;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The token endpoint of Microsoft Entra ID, which accepts every code, and the account. */
const accountCalls: Record<string, Json> = {
  '/common/oauth2/v2.0/token': {
    access_token: 'ThisIsOnlyAnExample',
    refresh_token: 'ThisIsOnlyAnExampleToo',
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'User.Read Calendars.ReadWrite',
  },
  '/v1.0/me': { id: 'b1f3', userPrincipalName: 'ada@example.com' },
};

function attempt(answer: () => Answer): Answer {
  try {
    return answer();
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
}
