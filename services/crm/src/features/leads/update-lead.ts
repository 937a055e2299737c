import { leadStatusChanged, type leads, leadUpdated } from '@tandem/crm-contract';
import { diff, teamOfAssignee, toJsonColumn } from '@tandem/service';
import { checkTeam } from '../../check-team.ts';
import { type Assignee, checkUser } from '../../check-user.ts';
import type { Handler, Peers } from '../../handler.ts';
import { checkTransition, type LeadRecord, lockLead, writeLead } from './lead.ts';

export const updateLead = (peers: Peers): Handler<typeof leads.updateLead, Assignee | undefined> => ({
  async check({ body, caller }) {
    const assignee = await checkUser(peers, 'assignedTo', body.assignedTo, caller);
    await checkTeam(peers, body.teamId, caller);
    return assignee;
  },
  async run({ params, body, tx, emit, ifMatch, found: assignee }) {
    const lead = await lockLead(tx, params.id);
    ifMatch(lead);
    const { isEmpty, values, audit } = diff(lead, withTeam(lead, body, assignee));
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

/** A lead follows a new assignee into their team, unless the request names a team. */
function withTeam<Body extends { assignedTo?: number | null; teamId?: number | null }>(
  lead: LeadRecord,
  body: Body,
  assignee: Assignee | undefined,
): Body {
  if (!assignee || assignee.id === lead.assignedTo || body.teamId !== undefined) return body;
  return { ...body, teamId: teamOfAssignee(assignee.teamIds, lead.teamId) };
}
