import { leadStatusChanged, type leads, leadUpdated } from '@tandem/crm-contract';
import { diff, toJsonColumn } from '@tandem/service';
import { checkTeam } from '../../check-team.ts';
import { checkUser } from '../../check-user.ts';
import type { Handler, Peers } from '../../handler.ts';
import { checkTransition, lockLead, writeLead } from './lead.ts';

export const updateLead = (peers: Peers): Handler<typeof leads.updateLead> => ({
  async check({ body, caller }) {
    await checkUser(peers, 'assignedTo', body.assignedTo, caller);
    await checkTeam(peers, body.teamId, caller);
  },
  async run({ params, body, tx, emit, ifMatch }) {
    const lead = await lockLead(tx, params.id);
    ifMatch(lead);
    const { isEmpty, values, audit } = diff(lead, body);
    if (isEmpty) return lead;
    if (values.status) checkTransition(lead, values.status);
    const { customFields, ...fields } = values;
    const updated = await writeLead(tx, lead.id, {
      ...fields,
      ...(customFields && { customFields: toJsonColumn(customFields) }),
      ...(values.referralCode && { referralCodeAt: new Date() }),
    });
    emit(leadUpdated, { data: { leadId: lead.id, changes: values }, record: updated, changes: audit });
    if (values.status) {
      emit(leadStatusChanged, {
        data: { leadId: lead.id, from: lead.status, to: values.status, reason: null },
        record: updated,
      });
    }
    return updated;
  },
});
