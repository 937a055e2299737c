import { createAi } from '@tandem/ai';
import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { cachedPerTenant } from '@tandem/client/per-tenant';
import { crm, exportLimits, importLimits } from '@tandem/crm-contract';
import { internalFiles } from '@tandem/files-contract';
import {
  entitlementsFrom,
  internalAssignees,
  internalEntitlements,
  internalRoles,
  internalTeams,
  internalTenants,
  internalUsers,
  settingsReader,
  tenantSettingsFrom,
} from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { createMailer } from '@tandem/mail';
import { internalPartnerLookup } from '@tandem/partner-contract';
import { createLog } from '@tandem/process';
import { createSeal } from '@tandem/sealed';
import { bulkOperations, ownedWork, personalData, type ServiceDefinition } from '@tandem/service';
import { calendarOf } from './calendar.ts';
import { accountBulk, accountHandlers, accountJobs } from './features/accounts/index.ts';
import { matchAccounts } from './features/accounts/on-account-changed.ts';
import { activityHandlers } from './features/activities/index.ts';
import { logActivities } from './features/activities/on-record-changed.ts';
import { assignNewLeads } from './features/assignment/assign-new-leads.job.ts';
import { assignmentHandlers } from './features/assignment/index.ts';
import { assignLeads } from './features/assignment/on-lead-created.ts';
import { placeBookedLead } from './features/booking-links/place-booked-lead.job.ts';
import { defineDefaults } from './features/config/defaults.ts';
import { statusHandlers } from './features/config/index.ts';
import { replaceStatusJob } from './features/config/replace-status.job.ts';
import { configAiHandlers } from './features/config-ai/index.ts';
import { customFieldHandlers } from './features/custom-fields/index.ts';
import { readExistingRecords } from './features/custom-fields/read-existing-records.job.ts';
import { exchangeRateHandlers } from './features/exchange-rates/index.ts';
import { exportsOf } from './features/exports/index.ts';
import { forecastHandlers } from './features/forecast/index.ts';
import { importsOf } from './features/imports/index.ts';
import { leadBulk, leadHandlers } from './features/leads/index.ts';
import { dismissDuplicates } from './features/leads/on-duplicate-dismissed.ts';
import { detectDuplicates } from './features/leads/on-lead-changed.ts';
import { noteUnsubscriptions } from './features/leads/on-lead-unsubscribed.ts';
import { notePartners } from './features/leads/on-referral-attributed.ts';
import { milestoneHandlers } from './features/milestones/index.ts';
import { nameHandlers } from './features/names/index.ts';
import { opportunityBulk, opportunityHandlers } from './features/opportunities/index.ts';
import { crmData } from './features/personal-data/crm-data.ts';
import { leadDataHandlers } from './features/personal-data/index.ts';
import { collectErasures } from './features/personal-data/on-personal-data-erased.ts';
import { requestErasure } from './features/personal-data/request-erasure.job.ts';
import { pipelineHandlers } from './features/pipelines/index.ts';
import { quotaHandlers } from './features/quotas/index.ts';
import { decayScores } from './features/scoring/decay-scores.job.ts';
import { scoringHandlers } from './features/scoring/index.ts';
import { scoreLeads } from './features/scoring/on-engagement-recorded.ts';
import { recountScores } from './features/scoring/recount-scores.job.ts';
import { applyEscalationRule } from './features/tasks/apply-escalation-rule.job.ts';
import { fireReminder } from './features/tasks/fire-reminder.job.ts';
import { taskBulk, taskHandlers } from './features/tasks/index.ts';
import { winLossReasonHandlers } from './features/win-loss-reasons/index.ts';
import { handOverOtherRecords } from './features/work/hand-over-other-records.ts';
import { crmRecords } from './features/work/owned-records.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import { personalDataPeers } from './personal-data-peers.ts';
import type { CrmSettings } from './settings.ts';
import { tenantCurrency, tenantLocale, tenantTimezone } from './tenant-settings.ts';

/** Definition of the crm service: contract, handlers and event consumers. */
export function crmService(settings: CrmSettings): ServiceDefinition<typeof crm, PrismaClient, CrmSettings> {
  const asCrm = { service: 'crm', signer: createCallerSigner(settings.INTERNAL_SECRETS) };
  const identity = createServiceClient({
    ...asCrm,
    operations: {
      ...internalUsers,
      ...internalAssignees,
      ...internalTenants,
      ...internalTeams,
      ...internalRoles,
      ...internalEntitlements,
    },
    baseUrl: settings.IDENTITY_URL,
  });
  const files = createServiceClient({ ...asCrm, operations: internalFiles, baseUrl: settings.FILES_URL });
  const partner = createServiceClient({ ...asCrm, operations: internalPartnerLookup, baseUrl: settings.PARTNER_URL });
  const log = createLog('crm');
  const addonSettings = settingsReader(cachedPerTenant({ ...entitlementsFrom(identity, 'ai_generation'), log }));
  const settingsOf = cachedPerTenant({ ...tenantSettingsFrom(identity), log });
  const peers = {
    identity,
    currencyOf: tenantCurrency(settingsOf),
    localeOf: tenantLocale(settingsOf),
    timezoneOf: tenantTimezone(settingsOf),
    partner,
  };
  const mailer = createMailer({ settings, seal: createSeal(settings.ENCRYPTION_KEY), log });
  const work = ownedWork(identity, crmRecords, handOverOtherRecords({ publicUrl: settings.PUBLIC_URL }));
  const ids = createIdCodec(settings.IDS_ALPHABET);
  const ofRecords = {
    ...leadBulk(peers),
    ...accountBulk(peers),
    ...opportunityBulk(peers),
    ...taskBulk(peers),
  };
  const bulk = bulkOperations('crm', ofRecords, { ids, log });
  const person = personalData('crm', crmData);
  const imports = importsOf({ peers, files, ids });
  const exported = exportsOf({ peers, ids, settings });
  return {
    name: 'crm',
    operations: crm,
    handlers: {
      ...leadHandlers(peers),
      ...assignmentHandlers(peers),
      ...scoringHandlers,
      ...opportunityHandlers(peers),
      ...accountHandlers(peers),
      ...activityHandlers(peers),
      ...milestoneHandlers(peers),
      ...forecastHandlers(peers),
      ...quotaHandlers(peers),
      ...exchangeRateHandlers(peers),
      ...taskHandlers(peers),
      ...calendarOf({ settings, peers, settingsOf, ids, mailer, log }),
      ...leadDataHandlers(personalDataPeers(settings, asCrm), ids),
      ...person.handlers,
      ...bulk.handlers,
      ...imports.handlers,
      ...exported.handlers,
      getJobErrors: bulk.getJobErrors,
      countOpenWork: work.countOpenWork,
      ...statusHandlers,
      ...customFieldHandlers,
      ...pipelineHandlers(peers),
      ...winLossReasonHandlers,
      ...configAiHandlers({ ai: createAi(settings, log), addonSettings }),
      ...nameHandlers,
    },
    consumers: [
      detectDuplicates,
      dismissDuplicates,
      notePartners,
      noteUnsubscriptions,
      assignLeads,
      scoreLeads,
      matchAccounts,
      logActivities(ids),
      ...work.consumers,
      ...person.consumers,
      collectErasures,
    ],
    jobs: [
      assignNewLeads(peers),
      placeBookedLead(peers),
      recountScores,
      decayScores,
      ...work.jobs,
      ...person.jobs,
      requestErasure,
      ...bulk.jobs,
      ...accountJobs,
      replaceStatusJob,
      ...imports.jobs,
      ...exported.jobs,
      readExistingRecords,
      fireReminder,
      applyEscalationRule(peers),
    ],
    mail: mailer,
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    narrowing: {
      Lead: { owners: ['assignedTo', 'createdBy'], team: 'teamId' },
      Erasure: 'shared',
      DuplicatePair: { through: ['firstLead', 'secondLead'] },
      Pipeline: 'shared',
      LeadMerge: { through: ['survivor'] },
      LeadMergeMove: { through: ['merge'] },
      StatusDefinition: 'shared',
      WinLossReason: 'shared',
      CustomField: 'shared',
      ExchangeRate: 'shared',
      Quota: 'shared',
      ForecastSubmission: { owners: ['ownerId', 'createdBy'] },
      Milestone: { through: ['opportunity'] },
      CustomFieldKey: 'shared',
      Account: { owners: ['ownerId', 'createdBy'], team: 'teamId' },
      Activity: { owners: ['userId'] },
      Opportunity: { owners: ['ownerId', 'createdBy'], team: 'teamId' },
      ScoringRule: 'shared',
      ScoringState: 'shared',
      LeadEngagement: { through: ['lead'] },
      LeadScoreChange: { through: ['lead'] },
      LeadStatusChange: { through: ['lead'] },
      AssignmentRule: 'shared',
      AssignmentTurn: 'shared',
      StageEntry: { through: ['opportunity'] },
      // Only the partner service reads it.
      RegisteredDeal: 'shared',
      Task: { owners: ['assignedTo', 'createdBy'], team: 'teamId' },
      Subtask: { through: ['task'] },
      Reminder: { through: ['task'] },
      TaskEscalation: { through: ['task'] },
      // Read by the id in a task only.
      TaskSeries: 'shared',
      EscalationRule: 'shared',
      // features/calendar-events/event.ts decides which events a narrowed caller accesses: those they organize or attend.
      CalendarEvent: 'shared',
      CalendarAttendee: 'shared',
      UserAvailability: { owners: ['userId'] },
      TimeOff: { owners: ['userId', 'createdBy'] },
      BookingLink: { owners: ['createdBy'] },
      Import: { owners: ['createdBy'] },
      ImportChunk: { through: ['import'] },
      ExportChunk: 'shared',
    },
    purge: [
      { table: 'lead', column: 'deleted_at', days: 30 },
      { table: 'task', column: 'deleted_at', days: 30 },
      { table: 'import', column: 'updated_at', days: importLimits.days },
      { table: 'export_chunk', column: 'created_at', days: exportLimits.days },
      { table: 'account', column: 'deleted_at', days: 30 },
      { table: 'lead_score_change', column: 'created_at', days: 365 },
      { table: 'opportunity', column: 'deleted_at', days: 30 },
      { table: 'lead_merge', column: 'created_at', days: 31 },
      { table: 'erasure', column: 'created_at', days: 365 },
    ],
    firstUse: defineDefaults,
    settings,
  };
}
