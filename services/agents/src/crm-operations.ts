import { activities, internalLeads, leads, opportunities, tasks } from '@tandem/crm-contract';

/** The operations of crm that agents call: to read leads, and to perform actions. */
export const crmOperations = {
  ...internalLeads,
  updateLead: leads.updateLead,
  changeLeadStatus: leads.changeLeadStatus,
  convertLead: opportunities.convertLead,
  createTask: tasks.createTask,
  listTasks: tasks.listTasks,
  listActivities: activities.listActivities,
  listOpportunities: opportunities.listOpportunities,
};
