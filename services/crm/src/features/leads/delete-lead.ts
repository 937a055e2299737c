import { leadDeleted, type leads } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { lockLead, writeLead } from './lead.ts';

export const deleteLead: Handler<typeof leads.deleteLead> = async ({ params, tx, emit, ifMatch }) => {
  const lead = await lockLead(tx, params.id);
  ifMatch(lead);
  const deleted = await writeLead(tx, lead.id, { deletedAt: new Date() });
  emit(leadDeleted, { data: { leadId: lead.id }, record: deleted });
  return { id: lead.id, deleted: true };
};
