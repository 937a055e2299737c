import { exportSectionMax, type Person } from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import { addressPattern, exportSection, type PersonalData, type Sweep } from '@tandem/service';
import { z } from 'zod';
import type { AuditLog as AuditRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { hashForm } from '../audit-logs/chain.ts';
import { encoderOf, withPublicIds } from '../audit-logs/record.ts';

const batchMax = 1_000;
const notificationsMax = 5_000;
// Notifications have no index for what they mention: an export reads the newest ones.
const exportedMax = 20_000;

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
export const identityData = (ids: IdCodec): PersonalData<Tx> => ({
  async erase({ tx, person }) {
    const found = await findEntries(tx, person, { max: batchMax, withValues: true });
    const [entries] = await tx.sql<{ erased: number }>`SELECT erase_audit_changes(
      ${found.map(({ id }) => id)}::bigint[]) AS erased`;
    return { auditEntries: entries?.erased ?? 0 };
  },
  sweeps: [(inside) => eraseNotifications(inside, ids)],
  async read({ tx, person, tenantId }) {
    const encode = encoderOf(ids, tenantId);
    const notifications = await findNotifications(tx, person, codesOf(person, tenantId, ids));
    const entries = await findEntries(tx, person, { max: exportSectionMax });
    return [
      await exportSection('notifications', MentioningNotification, {
        count: async () => notifications.length,
        find: async (max) =>
          notifications.slice(0, max).map((row) => ({ ...row, createdAt: row.createdAt.toISOString() })),
      }),
      await exportSection('auditEntries', EntryOfPerson, {
        count: async () => entries[0]?.total ?? 0,
        async find() {
          return entries.map(({ action, occurredAt, targetType, ...row }) => ({
            action,
            occurredAt: occurredAt.toISOString(),
            targetType,
            changes: withPublicIds(row, encode) as Record<string, unknown> | null,
          }));
        },
      }),
    ];
  },
});

/** Deletes notifications that mention the person, of the environment of the erasure. */
async function eraseNotifications(
  { tx, person, tenantId, after: [last = 0] }: Parameters<Sweep<Tx>>[0],
  ids: IdCodec,
): ReturnType<Sweep<Tx>> {
  const pattern = addressPattern(person, person.leadCodes);
  const codes = codesOf(person, tenantId, ids);
  const [part] = await tx.sql<{ read: number; end: number | null; deleted: number }>`
    WITH part AS MATERIALIZED (
      SELECT id, title, body, data, actions FROM notification
      WHERE id > ${last} AND is_sandbox = (platform.environment() = 'sandbox')
      ORDER BY id LIMIT ${notificationsMax}::int),
    deleted AS (
      DELETE FROM notification WHERE id IN (
        SELECT id FROM part WHERE data ->> 'id' = ANY(${codes}::text[])
          OR concat_ws(' ', title, body, data::text, actions::text) ~* ${pattern}) RETURNING id)
    SELECT (SELECT count(*)::int FROM part) AS read, (SELECT max(id) FROM part) AS "end",
      (SELECT count(*)::int FROM deleted) AS deleted`;
  const isEnd = !part || part.end === null || part.read < notificationsMax;
  return { erased: { notifications: part?.deleted ?? 0 }, next: isEnd ? null : [part.end as number] };
}

/** The public ids of the records whose notifications can have texts about the person. */
function codesOf({ leadCodes, recordCodes, opportunityIds }: Person, tenantId: number, ids: IdCodec): string[] {
  return [...leadCodes, ...recordCodes, ...opportunityIds.map((id) => ids.encode('opportunity', tenantId, id))];
}

function findNotifications(tx: Tx, person: Person, codes: readonly string[]) {
  return tx.sql<{ title: string; body: string; createdAt: Date }>`
    SELECT title, body, created_at AS "createdAt" FROM (
      SELECT * FROM notification WHERE is_sandbox = (platform.environment() = 'sandbox')
      ORDER BY id DESC LIMIT ${exportedMax}::int) AS newest
    WHERE data ->> 'id' = ANY(${codes}::text[])
      OR concat_ws(' ', title, body, data::text, actions::text) ~* ${addressPattern(person, person.leadCodes)}
    ORDER BY id DESC`;
}

type Entry = Pick<AuditRow, 'id' | 'action' | 'occurredAt' | 'targetType' | 'changes' | 'changedIds'> & {
  total: number;
};

/**
 * Entries about the person in the environment of the erasure, the newest first; of the deals of the person only changes
 * of texts.
 * @param options.withValues whether only entries with changes that can be erased count
 */
function findEntries(
  tx: Tx,
  person: Person,
  { max, withValues = false }: { max: number; withValues?: boolean },
): Promise<Entry[]> {
  const { leadIds, taskIds, activityIds, calendarEventIds, opportunityIds } = person;
  return tx.sql<Entry>`
    SELECT id, action, occurred_at AS "occurredAt", target_type AS "targetType", changes, changed_ids AS "changedIds",
      count(*) OVER ()::int AS total
    FROM audit_log
    WHERE record_environment = platform.environment()
      AND (NOT ${withValues}::boolean OR (changes IS NOT NULL AND hash_form = ${hashForm}::int))
      -- The certificate names no values.
      AND action <> 'lead.complete_erasure'
      AND ((target_type = 'lead' AND target_id = ANY(${leadIds}::bigint[]))
        OR (target_type = 'task' AND target_id = ANY(${taskIds}::bigint[]))
        OR (target_type = 'activity' AND target_id = ANY(${activityIds}::bigint[]))
        OR (target_type = 'calendar_event' AND target_id = ANY(${calendarEventIds}::bigint[]))
        OR (target_type = 'opportunity' AND target_id = ANY(${opportunityIds}::bigint[])
          AND changes ?| ${textsOfDeals}::text[]))
    ORDER BY position DESC LIMIT ${max}::int`;
}
const textsOfDeals = ['name', 'notes', 'customFields', 'outcome', 'reason'];
