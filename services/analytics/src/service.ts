import { analytics } from '@tandem/analytics-contract';
import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { internalLeads } from '@tandem/crm-contract';
import type { ServiceDefinition, ServiceSettings } from '@tandem/service';
import { eventHandlers } from './features/events/index.ts';
import { Prisma, PrismaClient } from './generated/client.ts';

export type AnalyticsSettings = ServiceSettings & { CRM_URL: string };

/** The analytics service: its contract and its handlers. */
export function analyticsService(
  settings: AnalyticsSettings,
): ServiceDefinition<typeof analytics, PrismaClient, AnalyticsSettings> {
  const crm = createServiceClient({
    operations: internalLeads,
    baseUrl: settings.CRM_URL,
    service: 'analytics',
    signer: createCallerSigner(settings.INTERNAL_SECRETS),
  });
  return {
    name: 'analytics',
    operations: analytics,
    handlers: eventHandlers({ crm }),
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    settings,
  };
}
