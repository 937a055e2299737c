import { leadRestored, type leads } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { claimAgain } from '../custom-fields/write-values.ts';
import { lockLead, writeLead } from './lead.ts';

export const restoreLead: Handler<typeof leads.restoreLead> = async ({ params, tx, emit, ifMatch }) => {
  const lead = await lockLead(tx, params.id, 'deleted');
  ifMatch(lead);
  await claimAgain(tx, 'lead', lead);
  const restored = await writeLead(tx, lead.id, { deletedAt: null });
  emit(leadRestored, { data: { leadId: lead.id }, record: restored });
  return restored;
};
