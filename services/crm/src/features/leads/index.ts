import type {
  internalExports,
  internalLeads,
  internalRebuilds,
  leadDuplicates,
  leadMerges,
  leads,
} from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { checkCustomFieldValues } from '../custom-fields/check-custom-field-values.ts';
import { bulkAssignLeads } from './bulk-assign-leads.ts';
import { bulkCreateLeads } from './bulk-create-leads.ts';
import { bulkDeleteLeads } from './bulk-delete-leads.ts';
import { bulkUpdateLeads } from './bulk-update-leads.ts';
import { bulkUpsertLeads } from './bulk-upsert-leads.ts';
import { changeLeadStatus } from './change-lead-status.ts';
import { createLead } from './create-lead.ts';
import { deleteLead } from './delete-lead.ts';
import { dismissDuplicate } from './dismiss-duplicate.ts';
import { exportLeads } from './export-leads.ts';
import { filterLeads } from './filter-leads.ts';
import { findDismissedDuplicates } from './find-dismissed-duplicates.ts';
import { findLeads } from './find-leads.ts';
import { findLeadsByEmail } from './find-leads-by-email.ts';
import { getLead } from './get-lead.ts';
import { getLeadDuplicates } from './get-lead-duplicates.ts';
import { listLeadDuplicates } from './list-lead-duplicates.ts';
import { listLeads } from './list-leads.ts';
import { mergeLeads } from './merge-leads.ts';
import { readLeads } from './read-leads.ts';
import { rebuildDuplicates } from './rebuild-duplicates.ts';
import { restoreLead } from './restore-lead.ts';
import { selectLeads } from './select-leads.ts';
import { undoLeadMerge } from './undo-lead-merge.ts';
import { updateLead } from './update-lead.ts';
import { upsertLeadByEmail } from './upsert-lead-by-email.ts';

/** The changes of many leads at once, each as the operation on a single lead makes it. */
export const leadBulk = (peers: Peers) => ({
  bulkUpdateLeads: bulkUpdateLeads(peers),
  bulkAssignLeads: bulkAssignLeads(peers),
  bulkDeleteLeads,
  bulkCreateLeads: bulkCreateLeads(peers),
  bulkUpsertLeads: bulkUpsertLeads(peers),
});

export const leadHandlers = (peers: Peers) =>
  ({
    createLead: createLead(peers),
    listLeads,
    listLeadDuplicates,
    getLeadDuplicates,
    dismissDuplicate,
    mergeLeads,
    undoLeadMerge,
    getLead,
    updateLead: updateLead(peers),
    deleteLead,
    restoreLead,
    changeLeadStatus,
    findLeads,
    findLeadsByEmail,
    readLeads,
    filterLeads,
    findDismissedDuplicates,
    checkCustomFieldValues,
    selectLeads,
    upsertLeadByEmail,
    exportLeads,
    rebuildDuplicates,
  }) satisfies Handlers<
    typeof leads &
      typeof leadDuplicates &
      typeof leadMerges &
      typeof internalLeads &
      typeof internalRebuilds &
      Pick<typeof internalExports, 'exportLeads'>,
    Tx
  >;
