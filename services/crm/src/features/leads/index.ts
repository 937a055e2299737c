import type { internalExports, internalLeads, internalRebuilds, leadDuplicates, leads } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { bulkAssignLeads } from './bulk-assign-leads.ts';
import { bulkDeleteLeads } from './bulk-delete-leads.ts';
import { bulkUpdateLeads } from './bulk-update-leads.ts';
import { changeLeadStatus } from './change-lead-status.ts';
import { createLead } from './create-lead.ts';
import { deleteLead } from './delete-lead.ts';
import { exportLeads } from './export-leads.ts';
import { filterLeads } from './filter-leads.ts';
import { findLeads } from './find-leads.ts';
import { getLead } from './get-lead.ts';
import { listLeadDuplicates } from './list-lead-duplicates.ts';
import { listLeads } from './list-leads.ts';
import { rebuildDuplicates } from './rebuild-duplicates.ts';
import { restoreLead } from './restore-lead.ts';
import { updateLead } from './update-lead.ts';

/** The changes of many leads at once, each as the operation on a single lead makes it. */
export const leadBulk = (peers: Peers) => ({
  bulkUpdateLeads: bulkUpdateLeads(peers),
  bulkAssignLeads: bulkAssignLeads(peers),
  bulkDeleteLeads,
});

export const leadHandlers = (peers: Peers) =>
  ({
    createLead: createLead(peers),
    listLeads,
    listLeadDuplicates,
    getLead,
    updateLead: updateLead(peers),
    deleteLead,
    restoreLead,
    changeLeadStatus,
    findLeads,
    filterLeads,
    exportLeads,
    rebuildDuplicates,
  }) satisfies Handlers<
    typeof leads &
      typeof leadDuplicates &
      typeof internalLeads &
      typeof internalRebuilds &
      Pick<typeof internalExports, 'exportLeads'>,
    Tx
  >;
