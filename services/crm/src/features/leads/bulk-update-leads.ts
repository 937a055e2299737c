import { bulkLeads } from '@tandem/crm-contract';
import { bulkOperation } from '@tandem/service';
import type { Peers } from '../../handler.ts';
import { ofLeads } from './bulk-leads.ts';
import { lockLead } from './lead.ts';
import { changeLead, checkAssignment } from './update-lead.ts';

export const bulkUpdateLeads = (peers: Peers) =>
  bulkOperation({
    ...ofLeads,
    row: bulkLeads.bulkUpdateLeads,
    check: ({ body, caller }) => checkAssignment(peers, body.change, caller, 'change.'),
    change: async ({ tx, emit, id, body: { change }, found: assignee }) =>
      changeLead({ tx, emit }, { lead: await lockLead(tx, id), change, assignee, within: 'change.' }),
  });
