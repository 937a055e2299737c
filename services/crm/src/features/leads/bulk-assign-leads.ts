import { bulkLeads } from '@tandem/crm-contract';
import { bulkOperation } from '@tandem/service';
import { checkAssignment } from '../../check-assignment.ts';
import type { Peers } from '../../handler.ts';
import { ofLeads } from './bulk-leads.ts';
import { changeLead } from './change-lead.ts';
import { lockLead } from './lead.ts';

export const bulkAssignLeads = (peers: Peers) =>
  bulkOperation({
    ...ofLeads,
    row: bulkLeads.bulkAssignLeads,
    check: ({ body, caller }) => checkAssignment(peers, body, caller),
    change: async ({ tx, emit, id, body: { assignedTo, teamId }, found: assignee }) =>
      changeLead({ tx, emit }, { lead: await lockLead(tx, id), change: { assignedTo, teamId }, assignee }),
  });
