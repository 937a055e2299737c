import { leadDeleted, type leads } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import type { Handler, Tx } from '../../handler.ts';
import { releaseAllValues } from '../custom-fields/write-values.ts';
import { lockLead, writeLead } from './lead.ts';

export const deleteLead: Handler<typeof leads.deleteLead> = async ({ params, tx, emit, ifMatch }) => {
  const lead = await lockLead(tx, params.id);
  ifMatch(lead);
  await removeLead({ tx, emit }, lead.id);
  return { id: lead.id, deleted: true };
};

/** Marks a locked lead as deleted, with its event. */
export async function removeLead({ tx, emit }: { tx: Tx; emit: Emit }, leadId: number): Promise<void> {
  const deleted = await writeLead(tx, leadId, { deletedAt: new Date() });
  await releaseAllValues(tx, 'lead', leadId);
  emit(leadDeleted, { data: { leadId }, record: deleted });
}
