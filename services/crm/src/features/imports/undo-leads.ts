import { Consent, leadDeleted, leadUpdated } from '@tandem/crm-contract';
import { inTurns } from '@tandem/process';
import { ApiError, diff } from '@tandem/service';
import { claimValues, customWrite, releaseAllValues } from '../custom-fields/write-values.ts';
import { checkExternalId } from '../leads/external-id.ts';
import { asLead, type LeadRecord, writeLead } from '../leads/lead.ts';
import { leadColumns } from '../leads/lead-columns.ts';
import type { Batch, Outcome, Undone } from './target.ts';

/** Deletes the leads that were created, and restores those that were updated. A converted lead is kept as it is. */
export async function undoLeads(outcomes: readonly Outcome[], { tx, emit }: Batch): Promise<Undone> {
  const createdIds = outcomes.flatMap((one) => (one.action === 'created' ? [one.id] : []));
  const rows = createdIds.length
    ? await tx.lead.updateManyAndReturn({
        where: { id: { in: createdIds }, deletedAt: null, convertedAt: null },
        data: { deletedAt: new Date(), version: { increment: 1 } },
      })
    : [];
  await inTurns(rows, (row) => emit(leadDeleted, { data: { leadId: row.id }, record: asLead(row) }));
  const hasUnique = await tx.customField.count({ where: { entityType: 'lead', unique: true, removedAt: null } });
  if (hasUnique) for (const { id } of rows) await releaseAllValues(tx, 'lead', id);
  let restored = 0;
  const updates = outcomes.filter((one) => one.action === 'updated').toReversed();
  for (const { id, before, after } of updates) if (await restore(id, { before, after }, { tx, emit })) restored += 1;
  return { deleted: rows.length, restored, kept: createdIds.length - rows.length + updates.length - restored };
}

/** Restores the fields of a lead, unless one of them was changed since. */
async function restore(
  leadId: number,
  { before, after }: { before: Record<string, unknown>; after: Record<string, unknown> },
  { tx, emit }: Pick<Batch, 'tx' | 'emit'>,
): Promise<boolean> {
  const row = await tx.lead.lockFirst({ where: { id: leadId } });
  if (!row || row.deletedAt || row.convertedAt) return false;
  const lead = asLead(row);
  if (!diff(lead, withTimes(after)).isEmpty) return false;
  const { values, audit, isEmpty } = diff(lead, withTimes(before));
  if (isEmpty) return true;
  const { customFields } = values;
  try {
    await checkExternalId(tx, values.externalId, leadId);
    const custom = customFields && (await customWrite(tx, 'lead', { after: customFields, before: lead.customFields }));
    if (custom) await claimValues(tx, custom, leadId);
    const updated = await writeLead(tx, leadId, { ...leadColumns(lead, values), ...custom?.columns });
    emit(leadUpdated, { data: { leadId, changes: values }, record: updated, changes: audit });
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
