import { analytics } from '@tandem/analytics-contract';
import type { ServiceDefinition, ServiceSettings } from '@tandem/service';
import { eventHandlers } from './features/events/index.ts';
import { Prisma, PrismaClient } from './generated/client.ts';

/** The analytics service: its contract and its handlers. */
export function analyticsService(
  settings: ServiceSettings,
): ServiceDefinition<typeof analytics, PrismaClient, ServiceSettings> {
  return {
    name: 'analytics',
    operations: analytics,
    handlers: eventHandlers,
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    settings,
  };
}
