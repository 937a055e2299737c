import { actingUserId } from '@tandem/caller';
import { leadCreated, type leads } from '@tandem/crm-contract';
import { checkUser } from '../../check-user.ts';
import type { Handler, Peers } from '../../handler.ts';
import { asLead } from './lead.ts';

export const createLead = (peers: Peers): Handler<typeof leads.createLead> => ({
  check: ({ body, caller }) => checkUser(peers, 'assignedTo', body.assignedTo, caller),
  async run({ body, caller, tx, emit }) {
    const row = await tx.lead.create({
      data: { ...body, customFields: body.customFields as object, createdBy: actingUserId(caller) ?? null },
    });
    const lead = asLead(row);
    emit(leadCreated, { data: { leadId: lead.id, email: lead.email, source: lead.source }, record: lead });
    return lead;
  },
});
