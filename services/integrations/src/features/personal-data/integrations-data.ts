import type { Person } from '@tandem/contract';
import { exportSection, mentionsOf, type PersonalData } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';

const batchMax = 1_000;

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
  async erase({ tx, person }) {
    const patterns = patternsOf(person);
    const [counts] = await tx.sql<{ events: number }>`
      WITH found AS MATERIALIZED (
        SELECT id FROM event WHERE type <> 'lead.deleted' AND convert_from(body, 'UTF8') ILIKE ANY(${patterns}::text[])
        ORDER BY id LIMIT ${batchMax}::int),
      answers AS (
        UPDATE attempt SET response_body = NULL, response_headers = NULL
        WHERE delivery_id IN (SELECT delivery.id FROM delivery JOIN found ON found.id = delivery.event_id) RETURNING 1),
      erased AS (DELETE FROM event WHERE id IN (SELECT id FROM found) RETURNING 1)
      SELECT (SELECT count(*)::int FROM erased) AS events, (SELECT count(*)::int FROM answers) AS answers`;
    return { events: counts?.events ?? 0 };
  },
  async read({ tx, person }) {
    const patterns = patternsOf(person);
    return [
      await exportSection('events', StoredEvent, {
        async count() {
          const [row] = await tx.sql<{ total: number }>`SELECT count(*)::int AS total FROM event
            WHERE convert_from(body, 'UTF8') ILIKE ANY(${patterns}::text[])`;
          return row?.total ?? 0;
        },
        async find(max) {
          const rows = await tx.sql<{ type: string; createdAt: Date; body: Record<string, unknown> }>`
            SELECT type, created_at AS "createdAt", convert_from(body, 'UTF8')::jsonb AS body FROM event
            WHERE convert_from(body, 'UTF8') ILIKE ANY(${patterns}::text[]) ORDER BY id DESC LIMIT ${max}::int`;
          return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
        },
      }),
    ];
  },
};

/** The body of `lead.deleted` names only the id, so that receivers learn of the erasure. */
function patternsOf(person: Person): string[] {
  return [...mentionsOf(person), ...person.leadCodes.map((code) => `%"${code}"%`)];
}
