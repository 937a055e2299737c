import {
  accounts,
  activities,
  calendarEvents,
  internalLeads,
  internalPipelines,
  leads,
  opportunities,
  opportunityStages,
  statuses,
  winLossReasons,
} from '@tandem/crm-contract';

/** The operations of crm that syncs call, with the permissions of the user who set the config up. */
export const crmOperations = {
  findLeadsByEmail: internalLeads.findLeadsByEmail,
  readLeads: internalLeads.readLeads,
  ...leads,
  ...accounts,
  ...opportunities,
  moveOpportunity: opportunityStages.moveOpportunity,
  winOpportunity: opportunityStages.winOpportunity,
  loseOpportunity: opportunityStages.loseOpportunity,
  readPipeline: internalPipelines.readPipeline,
  listStatuses: statuses.listStatuses,
  listWinLossReasons: winLossReasons.listWinLossReasons,
  createActivity: activities.createActivity,
  ...calendarEvents,
};
