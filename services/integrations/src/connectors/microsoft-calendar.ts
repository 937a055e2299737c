import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type CalendarPage, type Period, pageEvents, readCalendar } from './calendar-cursor.ts';
import { type CalendarRecord, deletedRecord, idIn, type Occurrence, objectsIn } from './calendar-fields.ts';
import { CalendarId, CalendarSettings } from './calendar-settings.ts';
import type { Call } from './calling.ts';
import { accountIn, bearer, CallError, type Connector, textIn } from './connector.ts';
import { type Graph, graphOf, isGraphPath, pathOfLink } from './graph.ts';
import {
  cancelledOf,
  isComplete,
  isException,
  isSeries,
  microsoftRecord,
  occurrenceId,
  occurrenceOf,
  occurrenceOfId,
  resourceOf,
  seriesIdOf,
  transactionIdOf,
  zoneOf,
} from './microsoft-event.ts';
import { type CalendarFields, CursorExpiredError, type OutgoingEvent, type Sync } from './sync.ts';
import { objectOf, type Values } from './values.ts';

const dayMs = 86_400_000;
// Outlook does not let an occurrence pass the one before or after it.
const movedDaysMax = 31;
const instancesMax = 100;

const Settings = CalendarSettings.extend({
  calendarId: CalendarId.optional().describe('The calendar; without it, the default one of the account'),
});

const sync: Sync = {
  kinds: (settings) => (Settings.parse(settings).direction === 'push' ? [] : ['calendar_event']),
  everyMinutes: 5,
  scope: (settings) => Settings.parse(settings).calendarId ?? '',
  async read({ call, settings, cursor }) {
    const parsed = Settings.parse(settings);
    const graph = graphOf(call, parsed.calendarId);
    return readCalendar({ cursor }, parsed, async (next, period) => {
      if (next !== null && !isGraphPath(next)) throw new CursorExpiredError();
      try {
        return await pageOf(graph, next, period);
      } catch (error) {
        throw next !== null && isExpired(error) ? new CursorExpiredError() : error;
      }
    });
  },
  async isGone({ call, settings }, externalId) {
    const { calendarId, direction } = Settings.parse(settings);
    if (direction === 'push') return false;
    const graph = graphOf(call, calendarId);
    const occurrence = occurrenceOfId(externalId);
    const id = occurrence?.seriesId ?? externalId;
    const event = await graph.find(id);
    if (!event || event['isCancelled'] === true) return true;
    if (!occurrence) return false;
    const cancelled = cancelledOf(event, (await graph.cancelledOccurrences([id])).get(id));
    return cancelled.some(([cancelledId]) => cancelledId === externalId);
  },
  deleted: (externalId) => deletedRecord(externalId),
  push: {
    isWanted: (settings) => Settings.parse(settings).direction !== 'pull',
    async put({ call, settings }, event, copy) {
      const graph = graphOf(call, Settings.parse(settings).calendarId);
      if (event.occurrence) return putOccurrence(graph, event, event.occurrence);
      const id = copy?.externalId ?? null;
      if (event.status !== 'cancelled')
        return (id !== null && (await updated(graph, id, event))) || inserted(graph, event, id);
      const existing = id ?? (await copyWithout(graph, event.id));
      if (existing !== null) await graph.remove(existing);
      return deletedRecord(existing ?? event.id);
    },
    async remove({ call, settings }, { externalId }) {
      const graph = graphOf(call, Settings.parse(settings).calendarId);
      const occurrence = occurrenceOfId(externalId);
      const id = occurrence ? idIn(await instanceOf(graph, occurrence)) : externalId;
      if (id !== null) await graph.remove(id);
    },
  },
};

export const microsoftCalendar: Connector = {
  key: 'microsoft_calendar',
  name: 'Microsoft Calendar',
  category: 'calendar',
  authType: 'oauth2',
  provider: 'microsoft',
  scopes: ['offline_access', 'User.Read', 'Calendars.ReadWrite'],
  settings: Settings,
  credentials: null,
  headersOf: bearer,
  async probe(call: Call) {
    // https://learn.microsoft.com/en-us/graph/api/user-get
    const { body } = await call({ url: 'https://graph.microsoft.com/v1.0/me?$select=id,userPrincipalName' });
    return accountIn(body, { id: 'id', name: 'userPrincipalName' });
  },
  sync,
};

/** https://learn.microsoft.com/en-us/graph/delta-query-overview#synchronization-reset */
function isExpired(error: unknown): boolean {
  if (!(error instanceof CallError)) return false;
  const code = textIn(objectOf(error.body)['error'], 'code') ?? '';
  return error.failure === 'status_410' || /^(syncStateNotFound|resyncRequired)$/i.test(code);
}

async function pageOf(graph: Graph, next: string | null, period: Period): Promise<CalendarPage> {
  const body = await graph.changes(next, period);
  const items = objectsIn(body['value'], pageEvents).filter((event) => idIn(event) !== null);
  const isRemoved = (event: Values) => '@removed' in event;
  const changed = items.filter((event) => !isRemoved(event) && event['type'] !== 'occurrence');
  // Events outside of the period are reported as removed, too, whenever they change. Others lack what has not changed.
  const unclear = items.filter((event) => isRemoved(event) || (changed.includes(event) && !isComplete(event)));
  const found = await graph.findAll(unclear.map(idOf));
  const known = [...changed.filter(isComplete), ...[...found.values()].filter((event) => event !== null)];
  const missing = new Set(known.filter(isException).map(seriesIdOf));
  for (const event of known) missing.delete(idOf(event));
  const added = [...(await graph.findAll([...missing].filter((id) => id !== null))).values()].filter(
    (event) => event !== null,
  );
  const events = [...added, ...known].filter((event) => event['type'] !== 'occurrence');
  const records = new Map(events.map((event) => [event, microsoftRecord(event)]));
  const isGone = (event: Values) => records.get(event)?.isDeleted ?? !records.get(event);
  // Occurrences of a series that has no record, or a deleted one, have none either.
  const series = events.filter((event) => isSeries(event) && !isGone(event));
  const gone = new Set(events.filter((event) => isSeries(event) && isGone(event)).map(idOf));
  const cancelled = await graph.cancelledOccurrences(series.map(idOf));
  // References point to records before them.
  const ordered = [
    ...events.filter((event) => !isException(event)),
    ...events.filter((event) => isException(event) && !gone.has(String(seriesIdOf(event)))),
  ];
  return {
    records: [
      ...ordered.map((event) => records.get(event) ?? null).filter((record) => record !== null),
      ...[...found].filter(([, event]) => event === null).map(([id]) => deletedRecord(id)),
    ],
    cancelled: series.flatMap((event) => cancelledOf(event, cancelled.get(idOf(event)))),
    ...nextOf(body, next),
  };
}

function idOf(event: Values): string {
  return String(idIn(event));
}

function nextOf(body: Values, requested: string | null): Pick<CalendarPage, 'next' | 'isEnd'> {
  const link = pathOfLink(body['@odata.nextLink']);
  // A page that leads to itself would be read without end.
  if (link !== null && link === requested) throw new CallError('provider_unavailable');
  const end = pathOfLink(body['@odata.deltaLink']);
  const next = link ?? end;
  if (next === null) throw new CallError('provider_unavailable');
  return { next, isEnd: link === null };
}

/** Creates the copy of an event. A repeated call finds the copy of the first one. */
async function inserted(graph: Graph, event: OutgoingEvent, replaced: string | null): Promise<CalendarRecord> {
  const suffix = replaced && createHash('sha256').update(replaced).digest('hex').slice(0, 8);
  const created = await graph.insert(event.id, {
    ...resourceOf(event, {}),
    transactionId: transactionIdOf(event.id, suffix),
  });
  if (created === null) {
    // Graph has created it by an earlier call.
    const id = await copyWithout(graph, event.id);
    const record = id === null ? null : await updated(graph, id, event);
    if (!record) throw new CallError('status_409');
    return record;
  }
  const record = await recordOf(graph, idOf(created));
  // An earlier call with the same transaction id may have created it with other fields, and nothing is written then.
  return isAsWritten(record, event) ? record : ((await updated(graph, record.id, event)) ?? record);
}

function isAsWritten({ fields }: CalendarRecord, event: OutgoingEvent): boolean {
  // Graph has names of its own for zones, and another form of rules.
  const comparable = ({ timezone: _, recurrence, ...others }: CalendarFields) => ({
    ...others,
    repeats: recurrence !== null,
  });
  return isDeepStrictEqual(comparable(fields), comparable(event.fields));
}

/** The id of the copy of an event whose id at Graph is not known. */
async function copyWithout(graph: Graph, eventId: string): Promise<string | null> {
  return idIn(await graph.findCopy(eventId));
}

/** Replaces an event; null if it does not exist. */
async function updated(graph: Graph, id: string, event: OutgoingEvent): Promise<CalendarRecord | null> {
  const existing = await graph.find(id);
  const resource = existing && (await graph.update(id, resourceOf(event, existing)));
  return resource && recordOf(graph, id);
}

/** The record of an event as reading returns it, which the response of a writing call need not be like. */
async function recordOf(graph: Graph, id: string): Promise<CalendarRecord> {
  const event = await graph.find(id);
  const record = event && microsoftRecord(event);
  if (!record) throw new CallError('provider_unavailable');
  return record;
}

async function putOccurrence(graph: Graph, event: OutgoingEvent, occurrence: Occurrence): Promise<CalendarRecord> {
  const id = idIn(await instanceOf(graph, occurrence));
  if (event.status === 'cancelled') {
    if (id !== null) await graph.remove(id);
    return deletedRecord(occurrenceId(occurrence), occurrence);
  }
  // Outlook cannot restore an occurrence.
  const record = id === null ? null : await updated(graph, id, event);
  if (!record) throw new CallError('status_404');
  return { ...record, id: occurrenceId(occurrence), occurrence };
}

/** The instance of a series with an original start; null if there is none. */
async function instanceOf(graph: Graph, { seriesId, originalStartAt }: Occurrence): Promise<Values | null> {
  const at = Date.parse(originalStartAt);
  const from = new Date(at - movedDaysMax * dayMs);
  const to = new Date(at + movedDaysMax * dayMs);
  const instances = await graph.instances(seriesId, { from, to }, instancesMax);
  return instances.find((event) => occurrenceOf(event, zoneOf(event))?.originalStartAt === originalStartAt) ?? null;
}
