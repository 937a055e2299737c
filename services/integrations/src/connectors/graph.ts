// Calls of Microsoft Graph about the events of a calendar.
import { readRetryAfter } from '../outgoing/retry-schedule.ts';
import { type Period, readSmaller } from './calendar-cursor.ts';
import { idIn, objectsIn, orMissing, pathPart } from './calendar-fields.ts';
import type { Call } from './calling.ts';
import { CallError } from './connector.ts';
import { idProperty } from './microsoft-event.ts';
import { objectOf, type Values } from './values.ts';

const origin = 'https://graph.microsoft.com';
const root = '/v1.0';
const linkMax = 10_000;
// A batch may have 20 requests, but a mailbox answers at most four at the same time.
// https://learn.microsoft.com/en-us/graph/throttling-limits#outlook-service-limits
const batchMax = 4;
/** Times in UTC, and bodies without markup. */
const format = 'outlook.timezone="UTC", outlook.body-content-type="text"';

export type Graph = ReturnType<typeof graphOf>;

/** The path and query of a link of a response; null if it leads elsewhere. */
export function pathOfLink(link: unknown): string | null {
  if (typeof link !== 'string' || link.length > linkMax || !URL.canParse(link)) return null;
  const url = new URL(link);
  const path = `${url.pathname}${url.search}`;
  return url.origin === origin && isGraphPath(path) ? path : null;
}

/** Whether a stored text is the path of a list of changes. */
export function isGraphPath(path: string): boolean {
  const url = URL.canParse(path, origin) ? new URL(path, origin) : null;
  return url?.origin === origin && url.pathname.startsWith(`${root}/`) && /[/.]delta(\(\))?$/i.test(url.pathname);
}

/** The calls; for the default calendar without an id. */
export function graphOf(call: Call, calendarId: string | undefined) {
  const calendar = calendarId === undefined ? '/me' : `/me/calendars/${pathPart(calendarId)}`;
  const send = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: Values, prefer = format) => {
    const url = `${origin}${root}${path}`;
    const answer = await call({ url, method, headers: { prefer }, ...(body && { body }) });
    return objectOf(answer.body);
  };
  const eventPath = (id: string) => `/me/events/${pathPart(id)}`;

  // https://learn.microsoft.com/en-us/graph/json-batching
  const readSome = async (ids: readonly string[], query: string): Promise<[id: string, event: Values | null][]> => {
    const requests = ids.map((id, index) => ({
      id: String(index),
      method: 'GET',
      url: `${eventPath(id)}${query}`,
      headers: { Prefer: format },
    }));
    const { responses } = await send('POST', '/$batch', { requests });
    return objectsIn(responses, ids.length).flatMap(
      ({ id: index, status, headers, body }): [string, Values | null][] => {
        const id = ids[Number(index)];
        if (status === 429 || Number(status) >= 500) throw outage(headers, body);
        if (id !== undefined && status === 200) return [[id, { ...objectOf(body), id }]];
        return id !== undefined && (status === 404 || status === 410) ? [[id, null]] : [];
      },
    );
  };

  /** Events by id; null for those that do not exist. Those that cannot be read for another reason are left out. */
  const readAll = async (ids: readonly string[], query = ''): Promise<Map<string, Values | null>> => {
    const found: [string, Values | null][] = [];
    const batches = Array.from({ length: Math.ceil(ids.length / batchMax) }, (_, index) =>
      ids.slice(index * batchMax, (index + 1) * batchMax),
    );
    while (batches.length) {
      const batch = batches.shift() as string[];
      try {
        found.push(...(await readSome(batch, query)));
      } catch (error) {
        if (!(error instanceof CallError && error.isTooLarge)) throw error;
        if (batch.length > 1) batches.push(...batch.map((id) => [id]));
      }
    }
    return new Map(found);
  };

  return {
    // https://learn.microsoft.com/en-us/graph/api/event-delta
    async changes(next: string | null, { from, to }: Period): Promise<Values> {
      const query = new URLSearchParams({ startDateTime: from.toISOString(), endDateTime: to.toISOString() });
      const path = next?.slice(root.length) ?? `${calendar}/calendarView/delta?${query}`;
      return readSmaller((max) => send('GET', path, undefined, `odata.maxpagesize=${max}, ${format}`));
    },
    // https://learn.microsoft.com/en-us/graph/api/event-get
    find: (id: string) => orMissing(send('GET', eventPath(id))),
    findAll: (ids: readonly string[]) => readAll(ids),
    /** The lists of the occurrences that do not take place, by id of the series. */
    async cancelledOccurrences(ids: readonly string[]): Promise<Map<string, unknown>> {
      const found = await readAll(ids, '?$select=id,cancelledOccurrences');
      return new Map([...found].map(([id, event]) => [id, event?.['cancelledOccurrences']]));
    },
    // https://learn.microsoft.com/en-us/graph/api/event-list-instances
    async instances(seriesId: string, { from, to }: Period, max: number): Promise<Values[]> {
      const query = new URLSearchParams({
        startDateTime: from.toISOString(),
        endDateTime: to.toISOString(),
        $top: String(max),
      });
      const body = await orMissing(send('GET', `${eventPath(seriesId)}/instances?${query}`));
      return objectsIn(body?.['value'], max);
    },
    /** The event that was created as the copy of an event of the platform. */
    // https://learn.microsoft.com/en-us/graph/api/singlevaluelegacyextendedproperty-get
    async findCopy(eventId: string): Promise<Values | null> {
      const value = eventId.replaceAll("'", "''");
      const filter = `singleValueExtendedProperties/any(ep: ep/id eq '${idProperty}' and ep/value eq '${value}')`;
      const body = await send('GET', `${calendar}/events?${new URLSearchParams({ $filter: filter, $top: '1' })}`);
      return objectsIn(body['value'], 1)[0] ?? null;
    },
    /** Creates an event; null if one with the same transaction id exists. */
    // https://learn.microsoft.com/en-us/graph/api/user-post-events
    async insert(eventId: string, event: Values): Promise<Values | null> {
      const singleValueExtendedProperties = [{ id: idProperty, value: eventId }];
      try {
        const created = await send('POST', `${calendar}/events`, { ...event, singleValueExtendedProperties });
        if (idIn(created) === null) throw new CallError('provider_unavailable');
        return created;
      } catch (error) {
        if (error instanceof CallError && error.failure === 'status_409') return null;
        throw error;
      }
    },
    // https://learn.microsoft.com/en-us/graph/api/event-update
    update: (id: string, event: Values) => orMissing(send('PATCH', eventPath(id), event)),
    // https://learn.microsoft.com/en-us/graph/api/event-delete
    remove: (id: string) => orMissing(send('DELETE', eventPath(id))),
  };
}

function outage(headers: unknown, body: unknown): CallError {
  const retryAfter = Object.entries(objectOf(headers)).find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
  return new CallError('provider_unavailable', { retryAt: readRetryAfter(String(retryAfter)), body });
}
