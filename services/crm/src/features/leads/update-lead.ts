import { actingUserId } from '@tandem/caller';
import type { leads } from '@tandem/crm-contract';
import type { Assignee } from '@tandem/service';
import { checkAssignment } from '../../check-assignment.ts';
import type { Handler, Peers } from '../../handler.ts';
import { checkAccount } from '../accounts/check-account.ts';
import { changeLead } from './change-lead.ts';
import { lockExternalIds } from './external-id.ts';
import { lockLead } from './lead.ts';

export const updateLead = (peers: Peers): Handler<typeof leads.updateLead, Assignee | undefined> => ({
  async check({ body, caller, under, tx }) {
    await checkAccount({ under, tx }, body.accountId);
    return checkAssignment(peers, body, caller);
  },
  async run({ params, body, caller, tx, emit, ifMatch, found: assignee }) {
    await lockExternalIds(tx, [body.externalId]);
    const lead = await lockLead(tx, params.id);
    ifMatch(lead);
    return changeLead({ tx, emit }, { lead, change: body, assignee, byUserId: actingUserId(caller) });
  },
});
