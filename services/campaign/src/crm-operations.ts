import { internalLeads, leads, statuses, tasks } from '@tandem/crm-contract';

/** The operations of crm that campaign calls: to read leads, and for workflows that change records. */
export const crmOperations = {
  ...internalLeads,
  updateLead: leads.updateLead,
  createTask: tasks.createTask,
  listStatuses: statuses.listStatuses,
};
