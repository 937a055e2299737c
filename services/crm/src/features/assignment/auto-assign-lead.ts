import type { leadAssignment } from '@tandem/crm-contract';
import { asService, fail } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { lockLead } from '../leads/lead.ts';
import { assignByRules } from './assign-by-rules.ts';
import { activeRules, lockAssignment } from './assignment-rule.ts';
import { type Candidate, findCandidates } from './choose-assignee.ts';
import { openLeads } from './open-leads.ts';

export const autoAssignLead = (peers: Peers): Handler<typeof leadAssignment.autoAssignLead, Candidate[]> => ({
  check: async ({ caller, tx }) => findCandidates(peers, await activeRules(tx), asService(caller)),
  async run({ params, tx, emit, ifMatch, found: candidates }) {
    // Before the lock of the lead, in the same order as the job that assigns new leads.
    await lockAssignment(tx);
    const lead = await lockLead(tx, params.id);
    ifMatch(lead);
    const choice = { rules: await activeRules(tx), candidates, openLeads: openLeads(tx) };
    const assigned = await assignByRules({ tx, emit }, lead, choice);
    if (typeof assigned === 'string') throw fail(assigned);
    return assigned;
  },
});
