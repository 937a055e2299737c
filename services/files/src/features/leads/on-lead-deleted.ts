import { leadDeleted, leadRestored } from '@tandem/crm-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { protectedRetryAt } from '../retention/protection.ts';
import { filesOfLeadJob } from './files-of-lead.job.ts';

interface Change {
  leadId: number;
  /** Absent once the lead is restored. */
  deletedAt: Date | null;
  isErased: boolean;
  version: number;
}

/** The files of a lead are deleted and restored with it. Those of a merged lead follow the lead that remains. */
export const followLeadDeletions = consumer({
  name: 'follow-lead-deletions',
  on: [leadDeleted, leadRestored],
  async handle(events, { tx, schedule }: ConsumerContext<Tx>) {
    const changes = events.flatMap(changeOf);
    const tenantId = events[0]?.tenantId;
    if (!changes.length || tenantId === undefined) return;
    await storeChanges(tx, changes);
    const jobsOf = (some: Change[]) =>
      [...new Set(some.map(({ leadId }) => leadId))].map((leadId) => ({ tenantId, leadId }));
    await schedule(filesOfLeadJob, jobsOf(changes.filter(({ isErased }) => !isErased)));
    // The erasure itself removes and reports the files. Those that it had to keep are removed when they are released.
    await schedule(filesOfLeadJob, jobsOf(changes.filter(({ isErased }) => isErased)), protectedRetryAt());
  },
});

function changeOf(event: Received<typeof leadDeleted | typeof leadRestored>): Change[] {
  const { leadId } = event.data;
  const { version } = event.record;
  if (event.name === 'lead.restored')
    return event.data.unmergedFromId ? [] : [{ leadId, deletedAt: null, isErased: false, version }];
  if (event.data.mergedIntoId) return [];
  return [{ leadId, deletedAt: event.occurredAt, isErased: event.data.erased === true, version }];
}

/** Events arrive in any order, and the newest version of the lead wins. */
async function storeChanges(tx: Tx, changes: Change[]): Promise<void> {
  const newest = new Map<number, Change>();
  for (const one of changes) {
    const known = newest.get(one.leadId);
    if (!known || known.version < one.version) newest.set(one.leadId, one);
  }
  // Written in the order of ids, so that two transactions cannot wait for each other.
  const rows = [...newest.values()].sort((one, other) => one.leadId - other.leadId);
  await tx.sql`
    INSERT INTO deleted_lead (lead_id, deleted_at, is_erased, version)
    SELECT "leadId", "deletedAt", "isErased", version FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS row ("leadId" bigint, "deletedAt" timestamptz, "isErased" boolean, version int)
    ON CONFLICT (tenant_id, environment, lead_id) DO UPDATE
      SET deleted_at = excluded.deleted_at, is_erased = excluded.is_erased, version = excluded.version
      WHERE deleted_lead.version < excluded.version`;
}
