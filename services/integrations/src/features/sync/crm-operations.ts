import { accounts, activities, calendarEvents, internalLeads, leads, opportunities } from '@tandem/crm-contract';

/** The operations of crm that syncs call, with the permissions of the user who set the config up. */
export const crmOperations = {
  findLeadsByEmail: internalLeads.findLeadsByEmail,
  ...leads,
  ...accounts,
  ...opportunities,
  createActivity: activities.createActivity,
  ...calendarEvents,
};
