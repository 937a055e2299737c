import { dayOf } from '@tandem/time-zones';
import { type CalendarPage, type Period, pageEvents, readCalendar, readSmaller } from './calendar-cursor.ts';
import {
  type CalendarRecord,
  dayIn,
  deletedRecord,
  idIn,
  isZone,
  type Occurrence,
  objectsIn,
  orMissing,
  pathPart,
  stampOf,
} from './calendar-fields.ts';
import { CalendarId, CalendarSettings } from './calendar-settings.ts';
import type { Call } from './calling.ts';
import { accountIn, bearer, CallError, type Connector, textIn } from './connector.ts';
import {
  exceptionsOf,
  googleIdOf,
  googleRecord,
  instanceIdOf,
  isSynced,
  occurrenceOf,
  resourceOf,
  seriesIdOf,
  zoneOf,
} from './google-event.ts';
import { CursorExpiredError, type OutgoingEvent, type Sync } from './sync.ts';
import { objectOf, type Values } from './values.ts';

const origin = 'https://www.googleapis.com';
const dayMs = 86_400_000;
const instancesMax = 100;
const tokenMax = 10_000;

const Settings = CalendarSettings.extend({
  calendarId: CalendarId.default('primary').describe('The calendar; `primary` is that of the account'),
});

const sync: Sync = {
  kinds: (settings) => (Settings.parse(settings).direction === 'push' ? [] : ['calendar_event']),
  everyMinutes: 5,
  // Ids are unique within a calendar only.
  scope: (settings) => Settings.parse(settings).calendarId,
  async read({ call, settings, cursor }) {
    const parsed = Settings.parse(settings);
    const calendar = calendarOf(call, parsed.calendarId);
    return readCalendar({ cursor }, parsed, async (next, period) => {
      try {
        return await pageOf(calendar, next ?? firstQuery(period));
      } catch (error) {
        // https://developers.google.com/workspace/calendar/api/guides/sync#full_sync_required_by_server
        const isExpired = next !== null && error instanceof CallError && error.failure === 'status_410';
        throw isExpired ? new CursorExpiredError() : error;
      }
    });
  },
  async isGone({ call, settings }, externalId) {
    const { calendarId, direction } = Settings.parse(settings);
    if (direction === 'push') return false;
    // A deleted event can still be read for some time.
    const event = await calendarOf(call, calendarId).find(externalId);
    return event === null || event['status'] === 'cancelled';
  },
  deleted: (externalId) => deletedRecord(externalId),
  push: {
    isWanted: (settings) => Settings.parse(settings).direction !== 'pull',
    async put({ call, settings }, event, copy) {
      const { calendarId } = Settings.parse(settings);
      return put(calendarOf(call, calendarId), event, copy?.externalId ?? null);
    },
    async remove({ call, settings }, { externalId }) {
      const { calendarId } = Settings.parse(settings);
      await calendarOf(call, calendarId).remove(externalId);
    },
  },
};

export const googleCalendar: Connector = {
  key: 'google_calendar',
  name: 'Google Calendar',
  category: 'calendar',
  authType: 'oauth2',
  provider: 'google',
  scopes: ['https://www.googleapis.com/auth/calendar.events'],
  settings: Settings,
  credentials: null,
  headersOf: bearer,
  async probe(call) {
    // https://developers.google.com/workspace/calendar/api/v3/reference/events/list
    const { body } = await call({ url: `${origin}/calendar/v3/calendars/primary/events?maxResults=1&fields=summary` });
    // The name of the primary calendar is the address of the account.
    return accountIn(body, { id: 'summary', name: 'summary' });
  },
  sync,
};

type Calendar = ReturnType<typeof calendarOf>;

/** The calls about the events of a calendar. Writing calls do not mail attendees. */
function calendarOf(rawCall: Call, calendarId: string) {
  const call = limited(rawCall);
  const url = `${origin}/calendar/v3/calendars/${pathPart(calendarId)}/events`;
  const body = async (answer: ReturnType<Call>) => objectOf((await answer).body);
  return {
    // https://developers.google.com/workspace/calendar/api/v3/reference/events/list
    list: (query: string) => readSmaller((max) => body(call({ url: `${url}?${query}&maxResults=${max}` }))),
    // https://developers.google.com/workspace/calendar/api/v3/reference/events/get
    find: (id: string) => orMissing(body(call({ url: `${url}/${pathPart(id)}` }))),
    // https://developers.google.com/workspace/calendar/api/v3/reference/events/instances
    instances: (id: string, query: string) =>
      orMissing(body(call({ url: `${url}/${pathPart(id)}/instances?${query}` }))),
    // https://developers.google.com/workspace/calendar/api/v3/reference/events/insert
    insert: (event: Values) => body(call({ url: `${url}?sendUpdates=none`, method: 'POST', body: event })),
    // https://developers.google.com/workspace/calendar/api/v3/reference/events/update
    update: (id: string, event: Values) =>
      body(
        call({ url: `${url}/${pathPart(id)}?sendUpdates=none`, method: 'PUT', body: event, headers: etagOf(event) }),
      ),
    // https://developers.google.com/workspace/calendar/api/v3/reference/events/delete
    remove: (id: string) => orMissing(call({ url: `${url}/${pathPart(id)}?sendUpdates=none`, method: 'DELETE' })),
  };
}

/** Refuses the change if the event has changed since it was read. */
function etagOf(event: Values): Record<string, string> {
  const etag = textIn(event, 'etag');
  return etag !== null && /^[\x21-\x7e]+$/.test(etag) ? { 'if-match': etag } : {};
}

// https://developers.google.com/workspace/calendar/api/guides/errors#403_user_rate_limit_exceeded
const limits = ['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded', 'dailyLimitExceeded'];

/** Calls whose failure is an outage when Google answers that a limit is exceeded. */
function limited(call: Call): Call {
  return async (request) => {
    try {
      return await call(request);
    } catch (error) {
      if (!(error instanceof CallError) || error.failure !== 'status_403') throw error;
      const reasons = objectsIn(objectOf(objectOf(error.body)['error'])['errors'], limits.length);
      const isLimit = reasons.some(({ reason }) => limits.includes(String(reason)));
      throw isLimit
        ? new CallError('provider_unavailable', { retryAt: error.retryAt, status: 403, body: error.body })
        : error;
    }
  };
}

const constant = { singleEvents: 'false', showDeleted: 'true' };

function firstQuery({ from, to }: Period): string {
  return String(new URLSearchParams({ ...constant, timeMin: from.toISOString(), timeMax: to.toISOString() }));
}

async function pageOf(calendar: Calendar, query: string): Promise<CalendarPage> {
  const body = await calendar.list(query);
  const calendarZone = isZone(body['timeZone']) ? body['timeZone'] : 'UTC';
  if (!Array.isArray(body['items'])) throw new CallError('provider_unavailable');
  const items = objectsIn(body['items'], pageEvents);
  const all = [...(await seriesMissingIn(calendar, items)), ...items];
  const isInstance = (event: Values) => seriesIdOf(event) !== null;
  const isGone = (event: Values) => event['status'] === 'cancelled' || !isSynced(event);
  const gone = new Set(all.filter(isGone).map((event) => idIn(event)));
  const events = all.filter((event) => isSynced(event) && !(isInstance(event) && gone.has(seriesIdOf(event))));
  const zones = new Map(events.map((event) => [idIn(event), zoneOf(event, calendarZone)]));
  // References point to records before them.
  const ordered = [...events.filter((event) => !isInstance(event)), ...events.filter(isInstance)];
  return {
    records: ordered.map((event) => googleRecord(event, zones.get(seriesIdOf(event)) ?? calendarZone)),
    cancelled: events.filter((event) => !isGone(event)).flatMap((event) => exceptionsOf(event, calendarZone)),
    ...nextOf(body, query),
  };
}

/**
 * The series of instances that the page does not have. Pages have no order, and an instance for whole days has the time
 * zone of its series only.
 */
async function seriesMissingIn(calendar: Calendar, items: readonly Values[]): Promise<Values[]> {
  const present = new Set(items.map((event) => idIn(event)));
  const wanted = new Set(items.map(seriesIdOf).filter((id) => id !== null && !present.has(id)) as string[]);
  const found: Values[] = [];
  for (const id of wanted) {
    const series = await calendar.find(id);
    if (series) found.push(series);
  }
  return found;
}

/** The next request: of the next page with the same parameters, or of the changes since the last page. */
function nextOf({ nextPageToken, nextSyncToken }: Values, query: string): Pick<CalendarPage, 'next' | 'isEnd'> {
  const isToken = (value: unknown): value is string =>
    typeof value === 'string' && value.length > 0 && value.length <= tokenMax;
  if (isToken(nextPageToken)) {
    const parameters = new URLSearchParams(query);
    // A page that leads to itself would be read without end.
    if (parameters.get('pageToken') === nextPageToken) throw new CallError('provider_unavailable');
    parameters.set('pageToken', nextPageToken);
    return { next: String(parameters), isEnd: false };
  }
  // Without a token, the next run reads the period again.
  if (!isToken(nextSyncToken)) return { next: null, isEnd: true };
  return { next: String(new URLSearchParams({ ...constant, syncToken: nextSyncToken })), isEnd: true };
}

/** Writes an event; `copyId` is the id of its copy, if there is one. */
async function put(calendar: Calendar, event: OutgoingEvent, copyId: string | null): Promise<CalendarRecord> {
  if (event.occurrence) return putOccurrence(calendar, event, event.occurrence);
  const id = copyId ?? googleIdOf(event.id);
  if (event.status === 'cancelled') {
    await calendar.remove(id);
    return deletedRecord(id);
  }
  return (copyId !== null && (await updated(calendar, id, event))) || inserted(calendar, event);
}

async function inserted(calendar: Calendar, event: OutgoingEvent): Promise<CalendarRecord> {
  const id = googleIdOf(event.id);
  try {
    return written(await calendar.insert({ id, ...resourceOf(event, {}) }), event);
  } catch (error) {
    if (!(error instanceof CallError) || error.failure !== 'status_409') throw error;
    // An earlier call has created it, or it has been deleted since: its id stays in use.
    const record = await updated(calendar, id, event);
    if (!record) throw error;
    return record;
  }
}

/** Replaces an event; null if it does not exist. */
async function updated(calendar: Calendar, id: string, event: OutgoingEvent): Promise<CalendarRecord | null> {
  const update = async () => {
    const existing = await calendar.find(id);
    return existing && (await orMissing(calendar.update(id, resourceOf(event, existing))));
  };
  const resource = await update().catch((error: unknown) => {
    // Somebody has changed it between the two calls.
    if (error instanceof CallError && error.failure === 'status_412') return update();
    throw error;
  });
  return resource && written(resource, event);
}

async function putOccurrence(
  calendar: Calendar,
  event: OutgoingEvent,
  occurrence: Occurrence,
): Promise<CalendarRecord> {
  const instance = await instanceOf(calendar, event, occurrence);
  const id = idIn(instance);
  if (event.status === 'cancelled') {
    if (id !== null) await calendar.remove(id);
    return deletedRecord(id ?? instanceIdOf(occurrence.seriesId, stampOf(occurrence.originalStartAt)), occurrence);
  }
  const record = id === null ? null : await updated(calendar, id, event);
  if (!record) throw new CallError('status_404');
  return record;
}

/** The instance of a series with an original start; null if there is none. */
async function instanceOf(
  calendar: Calendar,
  { fields }: OutgoingEvent,
  { seriesId, originalStartAt }: Occurrence,
): Promise<Values | null> {
  const series = await calendar.find(seriesId);
  if (!series) return null;
  const timezone = zoneOf(series, fields.timezone);
  const isSame = (event: Values) => occurrenceOf(event, timezone)?.originalStartAt === originalStartAt;
  const at = new Date(originalStartAt);
  const isForDays = dayIn(objectOf(series['start'])['date']) !== null;
  const start = isForDays ? dayOf(at, timezone).replaceAll('-', '') : stampOf(at);
  const found = await calendar.find(instanceIdOf(seriesId, start));
  if (found && isSame(found)) return found;
  const query = new URLSearchParams({
    timeMin: new Date(at.getTime() - dayMs).toISOString(),
    timeMax: new Date(at.getTime() + 2 * dayMs).toISOString(),
    showDeleted: 'true',
    maxResults: String(instancesMax),
  });
  const instances = await calendar.instances(seriesId, String(query));
  return objectsIn(instances?.['items'], instancesMax).find(isSame) ?? null;
}

/** The record of what a writing call returned. */
function written(resource: Values, { fields, occurrence }: OutgoingEvent): CalendarRecord {
  if (idIn(resource) === null) throw new CallError('provider_unavailable');
  const record = googleRecord(resource, fields.timezone);
  return occurrence ? { ...record, occurrence } : record;
}
