import { Lead, type leadMerges, leadRestored, mergeUndoDays } from '@tandem/crm-contract';
import { diff, fail } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { storeChange } from './change-lead.ts';
import { lockExternalIds } from './external-id.ts';
import { asLead, type LeadRecord } from './lead.ts';
import { moveRecordsBack } from './moved-records.ts';
import { bringBack } from './restore-lead.ts';

const dayMs = 86_400_000;
const Values = Lead.partial();

export const undoLeadMerge: Handler<typeof leadMerges.undoLeadMerge> = async ({ params, tx, emit }) => {
  const merge = await tx.leadMerge.lockFirst({ where: { id: params.id } });
  if (!merge) throw fail('not_found');
  if (merge.undoneAt) throw fail('merge_undone');
  if (Date.now() - merge.createdAt.getTime() > mergeUndoDays * dayMs) throw fail('merge_too_old');
  const before = Values.parse(merge.before) as Partial<LeadRecord>;
  const { survivor, merged } = await lockLeads(tx, merge);
  checkUntouched(survivor, Values.parse(merge.after) as Partial<LeadRecord>);
  const restored: LeadRecord[] = [];
  // The survivor first: it can have the unique external id of a merged lead.
  const why = { cause: 'merged', hasOldCustomFields: true } as const;
  const previous = await storeChange({ tx, emit }, survivor, before, why);
  for (const lead of merged) {
    const record = await bringBack(tx, lead);
    emit(leadRestored, { data: { leadId: lead.id, unmergedFromId: survivor.id }, record });
    restored.push(record);
  }
  const { id: mergeId, mergedIds } = merge;
  await moveRecordsBack({ tx, emit }, { mergeId, mergedIds, survivorId: survivor.id });
  await reopenPairs(tx, [survivor.id, ...merge.mergedIds]);
  const undoneAt = new Date();
  await tx.leadMerge.updateManyAndReturn({ where: { id: merge.id }, data: { undoneAt } });
  return { mergeId: merge.id, survivor: previous, restored, undoneAt };
};

/** Locks the leads of a merge in the order of their ids. */
async function lockLeads(tx: Tx, { survivorId, mergedIds }: { survivorId: number; mergedIds: number[] }) {
  const ids = [survivorId, ...mergedIds].sort((one, other) => one - other);
  const rows = await tx.lead.findMany({ where: { id: { in: ids } }, select: { externalId: true } });
  await lockExternalIds(
    tx,
    rows.map(({ externalId }) => externalId),
  );
  const locked: LeadRecord[] = [];
  for (const id of ids) {
    const row = await tx.lead.lockFirst({ where: { id } });
    // A merged lead that the caller cannot access, or that was erased.
    if (!row) throw fail('not_found');
    const isAsMerged = id === survivorId ? !row.deletedAt : row.mergedIntoId === survivorId;
    if (!isAsMerged) throw changed('status', 'One of the leads was deleted or restored');
    locked.push(asLead(row));
  }
  const survivor = locked.find(({ id }) => id === survivorId) as LeadRecord;
  return { survivor, merged: locked.filter(({ id }) => id !== survivorId) };
}

/** Fails if a value that the merge wrote was changed since. */
function checkUntouched(survivor: LeadRecord, after: Partial<LeadRecord>): void {
  const fields = Object.keys(diff(survivor, after).values);
  // A calculated score changes by itself, and is calculated again.
  const field = fields.find((name) => name !== 'score' || survivor.scorePinned);
  if (field) throw changed(field, 'Was changed since the merge');
}

function changed(field: string, message: string) {
  return fail('merge_changed', [{ field, message }]);
}

/** The leads are possible duplicates again. */
function reopenPairs(tx: Tx, leadIds: number[]): Promise<object[]> {
  return tx.sql`UPDATE duplicate_pair
    SET status = 'open', decided_at = NULL, decided_by = NULL, version = version + 1
    WHERE first_lead_id = ANY(${leadIds}::bigint[]) AND second_lead_id = ANY(${leadIds}::bigint[]) AND status = 'merged'`;
}
