import { leadStatusChanged, leadUpdated } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { claimValues, customWrite } from '../custom-fields/write-values.ts';
import { type LeadRecord, writeLead } from './lead.ts';
import { leadColumns } from './lead-columns.ts';

type Changes = Record<string, { from: unknown; to: unknown }>;

/** Writes changed values of the survivor with its events; without changes there are none. */
export async function writeSurvivor(
  { tx, emit }: { tx: Tx; emit: Emit },
  lead: LeadRecord,
  { isEmpty, values, audit }: { isEmpty: boolean; values: Partial<LeadRecord>; audit: Changes },
): Promise<LeadRecord> {
  if (isEmpty) return lead;
  const after = values.customFields;
  // Each value was accepted for one of the leads before.
  const custom = after && (await customWrite(tx, 'lead', { after, before: after }));
  if (custom) await claimValues(tx, custom, lead.id);
  const updated = await writeLead(tx, lead.id, { ...leadColumns(lead, values), ...custom?.columns });
  emit(leadUpdated, { data: { leadId: lead.id, changes: values }, record: updated, changes: audit });
  if (values.status || values.statusCode !== undefined) {
    const { status: to, statusCode: toCode } = updated;
    const data = { leadId: lead.id, from: lead.status, to, reason: null, fromCode: lead.statusCode, toCode };
    emit(leadStatusChanged, { data, record: updated });
  }
  return updated;
}
