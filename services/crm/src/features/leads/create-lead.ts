import { actingUserId, onlyTeamOf } from '@tandem/caller';
import { leadCreated, type leads } from '@tandem/crm-contract';
import { toJsonColumn } from '@tandem/service';
import { checkTeam } from '../../check-team.ts';
import { checkUser } from '../../check-user.ts';
import type { Handler, Peers } from '../../handler.ts';
import { asLead } from './lead.ts';

export const createLead = (peers: Peers): Handler<typeof leads.createLead> => ({
  async check({ body, caller }) {
    await checkUser(peers, 'assignedTo', body.assignedTo, caller);
    await checkTeam(peers, body.teamId, caller);
  },
  async run({ body, caller, tx, emit }) {
    const { customFields = {}, teamId = onlyTeamOf(caller), ...fields } = body;
    const data = {
      ...fields,
      teamId,
      customFields: toJsonColumn(customFields),
      createdBy: actingUserId(caller) ?? null,
    };
    const row = await tx.lead.create({ data });
    const lead = asLead(row);
    emit(leadCreated, { data: { leadId: lead.id, email: lead.email, source: lead.source }, record: lead });
    return lead;
  },
});
