import { actingUserId } from '@tandem/caller';
import { bulkLeads } from '@tandem/crm-contract';
import { bulkOperation } from '@tandem/service';
import { checkAssignment } from '../../check-assignment.ts';
import type { Peers } from '../../handler.ts';
import { checkAccount } from '../accounts/check-account.ts';
import { ofLeads } from './bulk-leads.ts';
import { changeLead } from './change-lead.ts';
import { lockLead } from './lead.ts';

export const bulkUpdateLeads = (peers: Peers) =>
  bulkOperation({
    ...ofLeads,
    row: bulkLeads.bulkUpdateLeads,
    checkRequest: ({ body, tx, under }) => checkAccount({ under, tx }, body.change.accountId, 'change.accountId'),
    check: async ({ body, caller }) => ({
      assignee: await checkAssignment(peers, body.change, caller, 'change.'),
      byUserId: actingUserId(caller),
    }),
    change: async ({ tx, emit, id, body: { change }, found }) =>
      changeLead({ tx, emit }, { ...found, lead: await lockLead(tx, id), change, within: 'change.' }),
  });
