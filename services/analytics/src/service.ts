import { analytics } from '@tandem/analytics-contract';
import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { internalLeads, internalPipelines } from '@tandem/crm-contract';
import { personalData, type ServiceDefinition, type ServiceSettings } from '@tandem/service';
import { createEvaluations } from './evaluations.ts';
import { cohortHandlers } from './features/cohorts/index.ts';
import { followTimezone } from './features/counting/on-tenant-changed.ts';
import { recount } from './features/counting/recount.job.ts';
import { dashboardHandlers } from './features/dashboard/index.ts';
import { mergeFollowers } from './features/events/follow-merges.ts';
import { eventHandlers } from './features/events/index.ts';
import { recordMessages } from './features/events/on-message-engaged.ts';
import { countRecords } from './features/facts/on-records-changed.ts';
import { funnelHandlers } from './features/funnels/index.ts';
import { analyticsData } from './features/personal-data/analytics-data.ts';
import { createHeavyQueries } from './features/timelines/share.ts';
import { Prisma, PrismaClient } from './generated/client.ts';

export type AnalyticsSettings = ServiceSettings & { CRM_URL: string };

// Partitions exist for so many months ahead, in case the database is unreachable for hourly maintenance.
const partitionsAhead = 3;

/** Definition of the analytics service: contract, handlers, and the consumer that moves events of merged leads. */
export function analyticsService(
  settings: AnalyticsSettings,
): ServiceDefinition<typeof analytics, PrismaClient, AnalyticsSettings> {
  const crm = createServiceClient({
    operations: { ...internalLeads, ...internalPipelines },
    baseUrl: settings.CRM_URL,
    service: 'analytics',
    signer: createCallerSigner(settings.INTERNAL_SECRETS),
  });
  const evaluations = createEvaluations();
  const tools = { crm, heavy: createHeavyQueries(), evaluations };
  const person = personalData('analytics', analyticsData);
  return {
    name: 'analytics',
    operations: analytics,
    handlers: {
      ...eventHandlers({ crm }),
      ...dashboardHandlers,
      ...funnelHandlers(tools),
      ...cohortHandlers(tools),
      ...person.handlers,
    },
    consumers: [...mergeFollowers.consumers, ...person.consumers, recordMessages, countRecords, followTimezone],
    jobs: [...mergeFollowers.jobs, ...person.jobs, recount],
    maintenance: [
      { name: 'engagement partitions', statement: `SELECT public.create_engagement_partitions(${partitionsAhead})` },
    ],
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    settings,
    close: () => evaluations.close(),
  };
}
