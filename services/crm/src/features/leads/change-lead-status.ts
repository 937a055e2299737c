import { leadStatusChanged, type leads, leadUpdated } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { checkTransition, lockLead, writeLead } from './lead.ts';

export const changeLeadStatus: Handler<typeof leads.changeLeadStatus> = async ({ params, body, tx, emit, ifMatch }) => {
  const lead = await lockLead(tx, params.id);
  ifMatch(lead);
  const { status: from } = lead;
  const { status: to, reason = null } = body;
  checkTransition(lead, to);
  const updated = await writeLead(tx, lead.id, { status: to });
  emit(leadUpdated, {
    data: { leadId: lead.id, changes: { status: to } },
    record: updated,
    changes: { status: { from, to } },
  });
  emit(leadStatusChanged, { data: { leadId: lead.id, from, to, reason }, record: updated });
  return updated;
};
