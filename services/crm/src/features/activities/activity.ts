import { Activity, ActivityDetails } from '@tandem/crm-contract';
import { fail, failField } from '@tandem/service';
import { z } from 'zod';
import type { Activity as ActivityRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type ActivityRecord = z.output<typeof Activity>;
/** The facts of an entry of the system, as they are stored. */
export type Details = z.output<typeof StoredDetails>;

// Ids are stored as numbers.
const StoredDetails = ActivityDetails.extend({
  fromUserId: z.int().nullish(),
  toUserId: z.int().nullish(),
  fileId: z.int().optional(),
  mergedLeadId: z.int().optional(),
});
const columns = Activity.pick({ type: true, kind: true, direction: true }).extend({ details: StoredDetails });
const dayMs = 86_400_000;

/** Converts a row to the contract's `Activity`. */
export function asActivity(row: Omit<ActivityRow, 'timelineAccountId'>): ActivityRecord {
  return { ...row, ...columns.parse(row) };
}

/** Locks an activity that a person logged; entries of the system are read-only. */
export async function lockActivity(tx: Tx, id: number): Promise<ActivityRecord> {
  const row = await tx.activity.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  if (row.system) throw fail('system_entry');
  return asActivity(row);
}

/** The records that an activity is about. */
export interface Links {
  leadId: number | null;
  opportunityId: number | null;
  accountId: number | null;
  partnerId?: number | null;
}

/** Fails unless the activity is about at least one record. */
export function checkLinked({ leadId, opportunityId, accountId, partnerId = null }: Links): void {
  if (leadId ?? opportunityId ?? accountId ?? partnerId) return;
  throw failField('leadId', 'Send the id of a lead, an opportunity or an account that the activity is about');
}

/** Fails for a time that is more than a day ahead; a meeting of today may be logged before it ends. */
export function checkOccurredAt(occurredAt: Date | undefined): void {
  if (occurredAt && occurredAt.getTime() > Date.now() + dayMs)
    throw failField('occurredAt', 'Must be at most one day ahead');
}

/** The account in whose timeline an activity is: its own, else that of its opportunity, else that of its lead. */
export async function timelineAccountOf(
  tx: Tx,
  { leadId, opportunityId, accountId }: Omit<Links, 'partnerId'>,
): Promise<number | null> {
  if (accountId !== null) return accountId;
  const [found] = await tx.sql<{ id: number | null }>`
    SELECT coalesce((SELECT account_id FROM opportunity WHERE id = ${opportunityId}),
      (SELECT account_id FROM lead WHERE id = ${leadId})) AS id`;
  return found?.id ?? null;
}
