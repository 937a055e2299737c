// Contract of the crm service: leads, opportunities, accounts, activities, tasks, and the statuses and stages that a tenant defines.
import { jobErrorOperations, jobOperations, personalDataOperations, recordPages } from '@tandem/contract';
import { accountMerges } from './account-merges.ts';
import { accounts } from './accounts.ts';
import { activities } from './activities.ts';
import { assignmentRules, leadAssignment } from './assignment.ts';
import { availability, timeOff } from './availability.ts';
import { bookingLinks } from './booking-links.ts';
import { bookings } from './bookings.ts';
import { bulkAccounts } from './bulk-accounts.ts';
import { bulkLeads } from './bulk-leads.ts';
import { bulkOpportunities } from './bulk-opportunities.ts';
import { bulkTasks } from './bulk-tasks.ts';
import { calendar } from './calendar.ts';
import { calendarEvents } from './calendar-events.ts';
import { configAi } from './config-ai.ts';
import { customFields } from './custom-fields.ts';
import { escalations } from './escalations.ts';
import { exchangeRates } from './exchange-rates.ts';
import { recordExports } from './exports.ts';
import { forecast } from './forecast.ts';
import { imports } from './imports.ts';
import {
  internalExports,
  internalLeads,
  internalOpportunities,
  internalPartnerDeals,
  internalPipelines,
  internalRebuilds,
  internalTaskCounts,
  internalWork,
} from './internal.ts';
import { leadDuplicates } from './lead-duplicates.ts';
import { leadMerges } from './lead-merges.ts';
import { leads } from './leads.ts';
import { milestones } from './milestones.ts';
import { internalNames } from './names.ts';
import { opportunities } from './opportunities.ts';
import { opportunityStages } from './opportunity-stages.ts';
import { leadData } from './personal-data.ts';
import { pipelines } from './pipelines.ts';
import { internalPredictedScores } from './predicted-scores.ts';
import { quotas } from './quotas.ts';
import { recurrences } from './recurrence.ts';
import { internalRegisteredDeals } from './registered-deals.ts';
import { reminders } from './reminders.ts';
import { rsvps } from './rsvps.ts';
import { leadScores, scoringRules } from './scoring.ts';
import { statuses } from './statuses.ts';
import { subtasks } from './subtasks.ts';
import { taskWork } from './task-work.ts';
import { tasks } from './tasks.ts';
import { timelines } from './timelines.ts';
import { winLossReasons } from './win-loss-reasons.ts';

export * from './account-merges.ts';
export * from './accounts.ts';
export * from './activities.ts';
export * from './assignment.ts';
export * from './availability.ts';
export * from './booking-links.ts';
export * from './bookings.ts';
export * from './bulk-accounts.ts';
export * from './bulk-leads.ts';
export * from './bulk-opportunities.ts';
export * from './bulk-tasks.ts';
export * from './calendar.ts';
export * from './calendar-event.ts';
export * from './calendar-events.ts';
export * from './config-ai.ts';
export * from './consent.ts';
export * from './custom-fields.ts';
export * from './escalations.ts';
export * from './exchange-rates.ts';
export * from './exports.ts';
export * from './forecast.ts';
export * from './import.ts';
export * from './imports.ts';
export * from './internal.ts';
export * from './lead.ts';
export * from './lead-conditions.ts';
export * from './lead-duplicates.ts';
export * from './lead-matching.ts';
export * from './lead-merges.ts';
export * from './leads.ts';
export * from './milestones.ts';
export * from './names.ts';
export * from './opportunities.ts';
export * from './opportunity.ts';
export * from './opportunity-stages.ts';
export * from './personal-data.ts';
export * from './pipelines.ts';
export * from './predicted-scores.ts';
export * from './quotas.ts';
export * from './recurrence.ts';
export * from './registered-deals.ts';
export * from './reminders.ts';
export * from './rsvps.ts';
export * from './scoring.ts';
export * from './status.ts';
export * from './statuses.ts';
export * from './subtasks.ts';
export * from './task.ts';
export * from './task-work.ts';
export * from './tasks.ts';
export * from './timelines.ts';
export * from './win-loss-reasons.ts';

export const crm = {
  ...leads,
  ...bulkLeads,
  ...leadData,
  ...personalDataOperations,
  ...recordPages,
  ...leadDuplicates,
  ...imports,
  ...leadAssignment,
  ...assignmentRules,
  ...leadScores,
  ...scoringRules,
  ...recordExports,
  ...leadMerges,
  ...opportunities,
  ...accounts,
  ...accountMerges,
  ...bulkAccounts,
  ...activities,
  ...timelines,
  ...quotas,
  ...milestones,
  ...forecast,
  ...exchangeRates,
  ...opportunityStages,
  ...tasks,
  ...taskWork,
  ...subtasks,
  ...reminders,
  ...recurrences,
  ...escalations,
  ...bulkOpportunities,
  ...bulkTasks,
  ...calendar,
  ...calendarEvents,
  ...rsvps,
  ...availability,
  ...timeOff,
  ...bookingLinks,
  ...bookings,
  ...statuses,
  ...pipelines,
  ...winLossReasons,
  ...configAi,
  ...customFields,
  ...jobOperations,
  ...jobErrorOperations,
  ...internalLeads,
  ...internalPredictedScores,
  ...internalOpportunities,
  ...internalPartnerDeals,
  ...internalPipelines,
  ...internalRegisteredDeals,
  ...internalWork,
  ...internalExports,
  ...internalRebuilds,
  ...internalTaskCounts,
  ...internalNames,
};
