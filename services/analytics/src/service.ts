import { analytics, reportLimits } from '@tandem/analytics-contract';
import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { recordPages } from '@tandem/contract';
import { internalExports, internalLeads, internalPipelines, internalPredictedScores } from '@tandem/crm-contract';
import {
  internalAssignees,
  internalEntitlements,
  internalRoles,
  internalTeams,
  internalTenants,
  internalUsers,
} from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { createMailer } from '@tandem/mail';
import { internalPartners } from '@tandem/partner-contract';
import { createLog } from '@tandem/process';
import { createSeal } from '@tandem/sealed';
import { personalData, type ServiceDefinition } from '@tandem/service';
import { createDocuments } from './documents.ts';
import { createEvaluations } from './evaluations.ts';
import { countCohort } from './features/cohort-definitions/count-cohort.job.ts';
import { cohortDefinitionHandlers } from './features/cohort-definitions/index.ts';
import { removeCohortMembers } from './features/cohort-definitions/remove-cohort-members.job.ts';
import { cohortHandlers } from './features/cohorts/index.ts';
import { followTimezone } from './features/counting/on-tenant-changed.ts';
import { recount } from './features/counting/recount.job.ts';
import { dashboardHandlers } from './features/dashboard/index.ts';
import { mergeFollowers } from './features/events/follow-merges.ts';
import { eventHandlers } from './features/events/index.ts';
import { recordMessages } from './features/events/on-message-engaged.ts';
import { exportsOf } from './features/exports/index.ts';
import { countRecords } from './features/facts/on-records-changed.ts';
import { funnelHandlers } from './features/funnels/index.ts';
import { analyticsData } from './features/personal-data/analytics-data.ts';
import { predictionHandlers } from './features/predictions/index.ts';
import { trainModels } from './features/predictions/train-model.job.ts';
import { rebuildCounts } from './features/rebuild/rebuild-counts.ts';
import { exportedReports, reportsOf } from './features/reports/index.ts';
import { followMembers } from './features/reports/on-team-members-changed.ts';
import { removeOldEvents } from './features/retention/index.ts';
import { createHeavyQueries } from './features/timelines/share.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Peers } from './handler.ts';
import type { AnalyticsSettings } from './settings.ts';

// Partitions exist for so many months ahead, in case the database is unreachable for hourly maintenance.
const partitionsAhead = 3;

/** Definition of the analytics service: contract, handlers, and the consumer that moves events of merged leads. */
export function analyticsService(
  settings: AnalyticsSettings,
): ServiceDefinition<typeof analytics, PrismaClient, AnalyticsSettings> {
  const asAnalytics = { service: 'analytics', signer: createCallerSigner(settings.INTERNAL_SECRETS) };
  const peers: Peers = {
    crm: createServiceClient({
      ...asAnalytics,
      operations: {
        ...internalExports,
        ...internalLeads,
        ...internalPipelines,
        ...internalPredictedScores,
        ...recordPages,
      },
      baseUrl: settings.CRM_URL,
    }),
    identity: createServiceClient({
      ...asAnalytics,
      operations: {
        ...internalUsers,
        ...internalAssignees,
        ...internalTeams,
        ...internalRoles,
        ...internalTenants,
        ...internalEntitlements,
        ...recordPages,
      },
      baseUrl: settings.IDENTITY_URL,
    }),
    partner: createServiceClient({
      ...asAnalytics,
      operations: { ...internalPartners, ...recordPages },
      baseUrl: settings.PARTNER_URL,
    }),
    campaign: createServiceClient({ ...asAnalytics, operations: recordPages, baseUrl: settings.CAMPAIGN_URL }),
    training: createServiceClient({ ...asAnalytics, operations: recordPages, baseUrl: settings.TRAINING_URL }),
    files: createServiceClient({ ...asAnalytics, operations: recordPages, baseUrl: settings.FILES_URL }),
    integrations: createServiceClient({ ...asAnalytics, operations: recordPages, baseUrl: settings.INTEGRATIONS_URL }),
    agents: createServiceClient({ ...asAnalytics, operations: recordPages, baseUrl: settings.AGENTS_URL }),
  };
  const evaluations = createEvaluations();
  const ids = createIdCodec(settings.IDS_ALPHABET);
  const tools = { ...peers, heavy: createHeavyQueries(), evaluations, ids };
  const person = personalData('analytics', analyticsData(ids));
  const exported = exportsOf({ peers, ids, settings, reports: exportedReports });
  const documents = createDocuments();
  const log = createLog('analytics');
  const mailer = createMailer({ settings, seal: createSeal(settings.ENCRYPTION_KEY), log });
  const reported = reportsOf({ tools, ids, settings, exported, documents, mail: mailer.queue });
  return {
    name: 'analytics',
    operations: analytics,
    handlers: {
      ...eventHandlers(peers),
      ...dashboardHandlers(tools),
      ...funnelHandlers(tools),
      ...cohortHandlers(tools),
      ...cohortDefinitionHandlers,
      ...predictionHandlers(tools),
      ...exported.handlers,
      ...reported.handlers,
      rebuildCounts: rebuildCounts(peers),
      ...person.handlers,
    },
    consumers: [
      ...mergeFollowers.consumers,
      ...person.consumers,
      recordMessages,
      countRecords,
      followTimezone,
      followMembers,
    ],
    jobs: [
      ...mergeFollowers.jobs,
      ...exported.jobs,
      ...reported.jobs,
      ...person.jobs,
      recount,
      trainModels(tools),
      countCohort(tools),
      removeCohortMembers,
      removeOldEvents(peers),
    ],
    maintenance: [
      { name: 'engagement partitions', statement: `SELECT public.create_engagement_partitions(${partitionsAhead})` },
    ],
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    purge: [
      { table: 'export', column: 'created_at', days: 90 },
      { table: 'export_chunk', column: 'created_at', days: 14 },
      { table: 'report_run', column: 'created_at', days: reportLimits.runDays },
    ],
    settings,
    mail: mailer,
    async close() {
      await Promise.all([evaluations.close(), documents.close()]);
    },
  };
}
