import { actingUserId } from '@tandem/caller';
import { Consent, leadDeleted } from '@tandem/crm-contract';
import { inTurns } from '@tandem/process';
import { ApiError, diff } from '@tandem/service';
import { releaseAllValues } from '../custom-fields/write-values.ts';
import { storeChange } from '../leads/change-lead.ts';
import { lockExternalIds } from '../leads/external-id.ts';
import { asLead, type LeadRecord } from '../leads/lead.ts';
import { nextStatus } from '../leads/lead-status.ts';
import { lockRecords } from './lock-records.ts';
import type { Batch, Outcome, Undone } from './target.ts';

/**
 * Deletes the leads that were created, and restores those that were updated. A converted lead is kept as it is, and so is one
 * that others were merged into: it has their values and records.
 */
export async function undoLeads(outcomes: readonly Outcome[], { tx, emit, actor }: Batch): Promise<Undone> {
  const createdIds = outcomes.flatMap((one) => (one.action === 'created' ? [one.id] : []));
  const updates = outcomes.filter((one) => one.action === 'updated').toReversed();
  const externalIds = updates.flatMap(({ before }) => (before['externalId'] as string | null | undefined) ?? []);
  await lockExternalIds(tx, externalIds);
  await lockRecords(tx, 'lead', [...createdIds, ...updates.map(({ id }) => id)]);
  const merges = await tx.leadMerge.findMany({
    where: { survivorId: { in: createdIds }, undoneAt: null },
    select: { survivorId: true },
  });
  const survivors = new Set(merges.map(({ survivorId }) => survivorId));
  const removable = createdIds.filter((id) => !survivors.has(id));
  const rows = removable.length
    ? await tx.lead.updateManyAndReturn({
        where: { id: { in: removable }, deletedAt: null, convertedAt: null },
        data: { deletedAt: new Date(), version: { increment: 1 } },
      })
    : [];
  await inTurns(rows, (row) => emit(leadDeleted, { data: { leadId: row.id }, record: asLead(row) }));
  const hasUnique = await tx.customField.count({ where: { entityType: 'lead', unique: true, removedAt: null } });
  if (hasUnique) for (const { id } of rows) await releaseAllValues(tx, 'lead', id);
  const deleted = new Set(rows.map(({ id }) => id));
  // A lead that the import created and then updated is deleted as a whole.
  const others = updates.filter(({ id }) => !deleted.has(id));
  let restored = 0;
  for (const { id, before, after } of others)
    if (await restore(id, { before, after }, { tx, emit, actor })) restored += 1;
  return { deleted: rows.length, restored, kept: createdIds.length - rows.length + others.length - restored };
}

/** Restores the fields of a lead, unless one of them was changed since, or can no longer have its former value. */
async function restore(
  leadId: number,
  { before, after }: { before: Record<string, unknown>; after: Record<string, unknown> },
  { tx, emit, actor }: Batch,
): Promise<boolean> {
  const row = await tx.lead.findFirst({ where: { id: leadId } });
  if (!row || row.deletedAt || row.convertedAt) return false;
  const lead = asLead(row);
  if (!diff(lead, withTimes(after)).isEmpty) return false;
  const fields = withTimes(before);
  try {
    // Holds the code against deletion; fails if it does not exist any more.
    if (fields.statusCode) await nextStatus(tx, lead, { statusCode: fields.statusCode });
    await storeChange({ tx, emit }, lead, fields, { byUserId: actingUserId(actor) });
    return true;
  } catch (error) {
    // Another record has taken a unique value since.
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Stored fields of a lead, with the times of its consents as dates. */
function withTimes({ consent, ...fields }: Record<string, unknown>): Partial<LeadRecord> {
  return { ...fields, ...(consent !== undefined && { consent: Consent.parse(consent) }) };
}
