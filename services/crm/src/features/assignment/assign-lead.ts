import { actingUserId } from '@tandem/caller';
import type { leadAssignment } from '@tandem/crm-contract';
import { type Assignee, checkUser } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { changeLead } from '../leads/change-lead.ts';
import { lockLead } from '../leads/lead.ts';

export const assignLead = (peers: Peers): Handler<typeof leadAssignment.assignLead, Assignee | undefined> => ({
  check: ({ body, caller }) => checkUser(peers, 'assignedTo', body.assignedTo, caller),
  async run({ params, body, caller, tx, emit, ifMatch, found: assignee }) {
    const lead = await lockLead(tx, params.id);
    ifMatch(lead);
    const { assignedTo, reason = null } = body;
    const change = { assignedTo };
    return changeLead({ tx, emit }, { lead, change, assignee, reason, byUserId: actingUserId(caller) });
  },
});
