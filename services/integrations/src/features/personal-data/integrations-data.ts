import type { Person } from '@tandem/contract';
import { addressPattern, exportSection, type PersonalData, type Sweep } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { eraseFilters } from './erase-filters.ts';

// Events are about two kilobytes: a part of the walk takes less than a second.
const eventsMax = 5_000;
// Events have no index for what they mention: an export reads the newest ones.
const exportedMax = 20_000;

// Calls have at most two bodies of 8 KiB; an export reads the newest ones.
const callsMax = 1_000;
const exportedCallsMax = 2_000;

const LoggedCall = z.object({
  requestId: z.string(),
  createdAt: z.iso.datetime(),
  method: z.string(),
  path: z.string(),
});

const StoredEvent = z.object({
  type: z.string(),
  createdAt: z.iso.datetime(),
  body: z.record(z.string(), z.unknown()),
});

/**
 * The data of a person in integrations: stored events, what receivers answered to them, and bodies in the API log.
 * Deliveries stay without their event, as after its retention; those that are not sent yet end as skipped. Calls stay without
 * bodies and query. An export names the calls only, because a body can have the data of many other people.
 */
export const integrationsData: PersonalData<Tx> = {
  erase: eraseFilters,
  sweeps: [eraseEvents, eraseBodies],
  async read({ tx, person }) {
    const events = await findEvents(tx, person);
    const calls = await findCalls(tx, person);
    return [
      await exportSection('events', StoredEvent, {
        count: async () => events.length,
        find: async (max) => events.slice(0, max).map((row) => ({ ...row, createdAt: row.createdAt.toISOString() })),
      }),
      await exportSection('apiCalls', LoggedCall, {
        count: async () => calls.length,
        find: async (max) => calls.slice(0, max).map((row) => ({ ...row, createdAt: row.createdAt.toISOString() })),
      }),
    ];
  },
};

/** Deletes stored events; the body of `lead.deleted` names only the id, so that receivers learn of the erasure. */
async function eraseEvents({ tx, person, after: [last = 0] }: Parameters<Sweep<Tx>>[0]): ReturnType<Sweep<Tx>> {
  const [part] = await tx.sql<{ read: number; end: number | null; events: number }>`
    WITH part AS MATERIALIZED (
      SELECT id, type, body FROM event WHERE id > ${last} ORDER BY id LIMIT ${eventsMax}::int),
    found AS MATERIALIZED (
      SELECT id FROM part
      WHERE type <> 'lead.deleted' AND (convert_from(body, 'UTF8') ~* ${addressPattern(person, person.leadCodes)}
        OR EXISTS (SELECT FROM jsonb_each_text(convert_from(body, 'UTF8')::jsonb -> 'data')
          WHERE value = ANY(${person.recordCodes}::text[])))),
    answers AS (
      UPDATE attempt SET response_body = NULL, response_headers = NULL
      WHERE delivery_id IN (SELECT delivery.id FROM delivery JOIN found ON found.id = delivery.event_id) RETURNING 1),
    erased AS (DELETE FROM event WHERE id IN (SELECT id FROM found) RETURNING 1)
    SELECT (SELECT count(*)::int FROM part) AS read, (SELECT max(id) FROM part) AS "end",
      (SELECT count(*)::int FROM erased) AS events, (SELECT count(*)::int FROM answers) AS answers`;
  const isEnd = !part || part.end === null || part.read < eventsMax;
  return { erased: { events: part?.events ?? 0 }, next: isEnd ? null : [part.end as number] };
}

function findEvents(tx: Tx, person: Person) {
  return tx.sql<{ type: string; createdAt: Date; body: Record<string, unknown> }>`
    SELECT type, created_at AS "createdAt", convert_from(body, 'UTF8')::jsonb AS body FROM (
      SELECT * FROM event ORDER BY id DESC LIMIT ${exportedMax}::int) AS newest
    WHERE convert_from(body, 'UTF8') ~* ${addressPattern(person, person.leadCodes)}
      OR EXISTS (SELECT FROM jsonb_each_text(convert_from(body, 'UTF8')::jsonb -> 'data')
        WHERE value = ANY(${person.recordCodes}::text[]))
    ORDER BY id DESC`;
}

/** Removes bodies and queries that mention the person from the API log. */
async function eraseBodies({ tx, person, after: [last = 0] }: Parameters<Sweep<Tx>>[0]): ReturnType<Sweep<Tx>> {
  const [part] = await tx.sql<{ read: number; end: number | null; calls: number }>`
    WITH part AS MATERIALIZED (
      SELECT id, created_at, coalesce(request_body, response_body, query) IS NOT NULL AS has_content, concat_ws(' ', path, query, request_body, response_body) AS text
      FROM api_log WHERE id > ${last} ORDER BY id LIMIT ${callsMax}::int),
    found AS MATERIALIZED (SELECT id, created_at FROM part WHERE has_content AND text ~* ${mentions(person)}),
    erased AS (
      UPDATE api_log SET request_body = NULL, response_body = NULL, query = NULL
      FROM found WHERE api_log.id = found.id AND api_log.created_at = found.created_at RETURNING 1)
    SELECT (SELECT count(*)::int FROM part) AS read, (SELECT max(id) FROM part) AS "end",
      (SELECT count(*)::int FROM erased) AS calls`;
  const isEnd = !part || part.end === null || part.read < callsMax;
  return { erased: { apiCalls: part?.calls ?? 0 }, next: isEnd ? null : [part.end as number] };
}

function findCalls(tx: Tx, person: Person) {
  return tx.sql<{ requestId: string; createdAt: Date; method: string; path: string }>`
    SELECT request_id AS "requestId", created_at AS "createdAt", method, path FROM (
      SELECT * FROM api_log ORDER BY created_at DESC, id DESC LIMIT ${exportedCallsMax}::int) AS newest
    WHERE concat_ws(' ', path, query, request_body, response_body) ~* ${mentions(person)}
    ORDER BY created_at DESC`;
}

/** Bodies have other forms than events, so the ids of the records of the person are searched for anywhere. */
function mentions(person: Person): string {
  return addressPattern(person, [...person.leadCodes, ...person.recordCodes]);
}
