import type { Person } from '@tandem/contract';
import { addressPattern, exportSection, type PersonalData, type Sweep } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';

// Events are about two kilobytes: a part of the walk takes less than a second.
const eventsMax = 5_000;
// Events have no index for what they mention: an export reads the newest ones.
const exportedMax = 20_000;

const StoredEvent = z.object({
  type: z.string(),
  createdAt: z.iso.datetime(),
  body: z.record(z.string(), z.unknown()),
});

/**
 * The data of a person in integrations: stored events, and what receivers answered to them. Deliveries stay without their
 * event, as after its retention; those that are not sent yet end as skipped.
 */
export const integrationsData: PersonalData<Tx> = {
  erase: async () => ({}),
  sweeps: [eraseEvents],
  async read({ tx, person }) {
    const events = await findEvents(tx, person);
    return [
      await exportSection('events', StoredEvent, {
        count: async () => events.length,
        find: async (max) => events.slice(0, max).map((row) => ({ ...row, createdAt: row.createdAt.toISOString() })),
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
