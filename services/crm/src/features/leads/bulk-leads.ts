import { bulkLeads, leads } from '@tandem/crm-contract';
import { bulkOperation } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { removeLead } from './delete-lead.ts';
import { lockLead } from './lead.ts';
import { listedLeads } from './list-leads.ts';
import { changeLead, checkAssignment } from './update-lead.ts';

const ofLeads = {
  type: 'lead',
  model: (tx: Tx) => tx.lead,
  listed: listedLeads,
  readPermission: leads.listLeads.permission,
} as const;

/** The changes of many leads at once, each as the operation on a single lead makes it. */
export const leadBulk = (peers: Peers) => ({
  bulkUpdateLeads: bulkOperation({
    ...ofLeads,
    row: bulkLeads.bulkUpdateLeads,
    check: ({ body, caller }) => checkAssignment(peers, body.change, caller, 'change.'),
    change: async ({ tx, emit, id, body, found: assignee }) =>
      changeLead({ tx, emit }, { lead: await lockLead(tx, id), change: body.change, assignee }),
  }),
  bulkAssignLeads: bulkOperation({
    ...ofLeads,
    row: bulkLeads.bulkAssignLeads,
    check: ({ body, caller }) => checkAssignment(peers, body, caller),
    change: async ({ tx, emit, id, body: { assignedTo, teamId }, found: assignee }) => {
      const change = { assignedTo, ...(teamId !== undefined && { teamId }) };
      return changeLead({ tx, emit }, { lead: await lockLead(tx, id), change, assignee });
    },
  }),
  bulkDeleteLeads: bulkOperation({
    ...ofLeads,
    row: bulkLeads.bulkDeleteLeads,
    change: async ({ tx, emit, id }) => removeLead({ tx, emit }, (await lockLead(tx, id)).id),
  }),
});
