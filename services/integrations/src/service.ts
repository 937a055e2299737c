import { createIdCodec } from '@tandem/ids';
import { deliveryDays, integrations, payloadDays } from '@tandem/integrations-contract';
import { createSeal } from '@tandem/sealed';
import type { ServiceDefinition, ServiceSettings } from '@tandem/service';
import { deliver } from './features/deliveries/deliver.job.ts';
import { deliveryHandlers } from './features/deliveries/index.ts';
import { eventHandlers } from './features/events/index.ts';
import { storeEvent } from './features/events/on-catalogued-event.ts';
import { jobHandlers } from './features/jobs/index.ts';
import { webhookHandlers } from './features/webhooks/index.ts';
import { recover } from './features/webhooks/recover.job.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Tools } from './handler.ts';
import { createTarget } from './outgoing/guard.ts';
import type { Resolve } from './outgoing/resolve.ts';
import { createSchedules } from './outgoing/retry-schedule.ts';
import { createSender } from './outgoing/send.ts';
import { createTurns } from './outgoing/turns.ts';

export type IntegrationsSettings = ServiceSettings & {
  IDS_ALPHABET: string;
  WEBHOOK_ALLOW_PRIVATE_TARGETS: boolean;
  WEBHOOK_TIMEOUT_SECONDS: number;
  WEBHOOK_RETRY_SCHEDULE_SECONDS?: readonly number[] | undefined;
  WEBHOOK_PROXY_URL?: string | undefined;
};

const testsPerTenantMax = 3;
// Well below the connections that a gateway has to a service.
const testsMax = 24;

/**
 * The integrations service: webhooks, what is sent to them, and what was sent.
 * @param resolve how names of targets are resolved; by the machine's name servers by default
 */
export function integrationsService(
  settings: IntegrationsSettings,
  resolve?: Resolve,
): ServiceDefinition<typeof integrations, PrismaClient, IntegrationsSettings> {
  const tools = createTools(settings, resolve);
  return {
    name: 'integrations',
    operations: integrations,
    handlers: { ...webhookHandlers(tools), ...deliveryHandlers, ...eventHandlers, ...jobHandlers },
    consumers: [storeEvent(tools)],
    jobs: [deliver(tools), recover],
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    owners: ['createdBy'],
    purge: [
      { table: 'event', column: 'stored_at', days: payloadDays },
      { table: 'attempt', column: 'started_at', days: payloadDays },
      { table: 'delivery', column: 'created_at', days: deliveryDays },
    ],
    settings,
  };
}

function createTools(settings: IntegrationsSettings, resolve: Resolve | undefined): Tools {
  const target = createTarget({ allowPrivate: settings.WEBHOOK_ALLOW_PRIVATE_TARGETS, ...(resolve && { resolve }) });
  return {
    ids: createIdCodec(settings.IDS_ALPHABET),
    seal: createSeal(settings.ENCRYPTION_KEY),
    target,
    sender: createSender({
      target,
      timeoutMs: settings.WEBHOOK_TIMEOUT_SECONDS * 1_000,
      proxyUrl: settings.WEBHOOK_PROXY_URL,
    }),
    turns: createTurns(),
    testTurns: { own: createTurns({ max: testsPerTenantMax }), all: createTurns({ max: testsMax }) },
    schedules: createSchedules({ seconds: settings.WEBHOOK_RETRY_SCHEDULE_SECONDS }),
  };
}
