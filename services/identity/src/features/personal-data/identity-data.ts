import type { Person } from '@tandem/contract';
import { exportSection, mentionsOf, type PersonalData } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { hashForm } from '../audit-logs/chain.ts';

const batchMax = 1_000;
const countMax = 100_000;

const MentioningNotification = z.object({ title: z.string(), body: z.string(), createdAt: z.string() });
const EntryOfPerson = z.object({
  action: z.string(),
  occurredAt: z.string(),
  targetType: z.string(),
  changes: z.record(z.string(), z.unknown()).nullable(),
});

/**
 * The data of a person in identity: notifications about the person, and values in the audit log. Entries of earlier
 * releases keep their values until their retention ends, because their hashes cover them.
 */
export const identityData: PersonalData<Tx> = {
  async erase({ tx, person }) {
    const patterns = patternsOf(person);
    const notifications = await tx.sql`DELETE FROM notification WHERE id IN (
        SELECT id FROM notification
        WHERE concat_ws(' ', title, body, data::text, actions::text) ILIKE ANY(${patterns}::text[]) LIMIT ${batchMax}::int)
      RETURNING id`;
    const found = await findEntries(tx, person, { max: batchMax, withValues: true });
    const [entries] = await tx.sql<{ erased: number }>`SELECT erase_audit_changes(
      ${found.map(({ id }) => id)}::bigint[]) AS erased`;
    return { notifications: notifications.length, auditEntries: entries?.erased ?? 0 };
  },
  async read({ tx, person }) {
    const patterns = patternsOf(person);
    return [
      await exportSection('notifications', MentioningNotification, {
        async count() {
          const [row] = await tx.sql<{ total: number }>`SELECT count(*)::int AS total FROM notification
            WHERE concat_ws(' ', title, body, data::text, actions::text) ILIKE ANY(${patterns}::text[])`;
          return row?.total ?? 0;
        },
        async find(max) {
          const rows = await tx.sql<{ title: string; body: string; createdAt: Date }>`
            SELECT title, body, created_at AS "createdAt" FROM notification
            WHERE concat_ws(' ', title, body, data::text, actions::text) ILIKE ANY(${patterns}::text[])
            ORDER BY id DESC LIMIT ${max}::int`;
          return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
        },
      }),
      await exportSection('auditEntries', EntryOfPerson, {
        count: async () => (await findEntries(tx, person, { max: countMax })).length,
        async find(max) {
          const rows = await findEntries(tx, person, { max });
          return rows.map((row) => ({ ...row, occurredAt: row.occurredAt.toISOString() }));
        },
      }),
    ];
  },
};

type Entry = Omit<z.output<typeof EntryOfPerson>, 'occurredAt'> & { id: number; occurredAt: Date };

function patternsOf(person: Person): string[] {
  return [...mentionsOf(person), ...person.leadCodes.map((code) => `%${code}%`)];
}

/**
 * Entries about the person in the environment of the erasure, the newest first.
 * @param options.withValues whether only entries with changes that can be erased count
 */
function findEntries(
  tx: Tx,
  person: Person,
  { max, withValues = false }: { max: number; withValues?: boolean },
): Promise<Entry[]> {
  const { leadIds, taskIds, activityIds, calendarEventIds } = person;
  return tx.sql<Entry>`
    SELECT id, action, occurred_at AS "occurredAt", target_type AS "targetType", changes FROM audit_log
    WHERE record_environment = platform.environment()
      AND (NOT ${withValues}::boolean OR (changes IS NOT NULL AND hash_form = ${hashForm}::int))
      -- The certificate names no values.
      AND action <> 'lead.complete_erasure'
      AND ((target_type = 'lead' AND target_id = ANY(${leadIds}::bigint[]))
        OR (target_type = 'task' AND target_id = ANY(${taskIds}::bigint[]))
        OR (target_type = 'activity' AND target_id = ANY(${activityIds}::bigint[]))
        OR (target_type = 'calendar_event' AND target_id = ANY(${calendarEventIds}::bigint[]))
        OR changes::text ILIKE ANY(${mentionsOf(person)}::text[]))
    ORDER BY position DESC LIMIT ${max}::int`;
}
