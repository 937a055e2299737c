import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { internalUsers } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { apiLogDays, deliveryDays, integrations, payloadDays } from '@tandem/integrations-contract';
import { createTarget, type Resolve } from '@tandem/outgoing';
import { createShares } from '@tandem/process';
import { createSeal } from '@tandem/sealed';
import { personalData, type ServiceDefinition, type ServiceSettings } from '@tandem/service';
import { apiLogHandlers } from './features/api-logs/index.ts';
import { deliver } from './features/deliveries/deliver.job.ts';
import { deliveryHandlers } from './features/deliveries/index.ts';
import { eventHandlers } from './features/events/index.ts';
import { storeEvent } from './features/events/on-catalogued-event.ts';
import { exportHandlers } from './features/exports/index.ts';
import { jobHandlers } from './features/jobs/index.ts';
import { integrationsData } from './features/personal-data/integrations-data.ts';
import { recoveryHandlers } from './features/recoveries/index.ts';
import { recover } from './features/recoveries/recover.job.ts';
import { replay } from './features/recoveries/replay.job.ts';
import { webhookHandlers } from './features/webhooks/index.ts';
import { sealedColumns } from './features/webhooks/sealed-parts.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Tools } from './handler.ts';
import { createFairQueue, sendsMax, waitingMax } from './outgoing/fair-queue.ts';
import { type ObservedSender, observed } from './outgoing/observe.ts';
import { createSchedules } from './outgoing/retry-schedule.ts';
import { createSender } from './outgoing/send.ts';
import { permissionsOfUsers } from './permissions-of.ts';

export type IntegrationsSettings = ServiceSettings & {
  IDENTITY_URL: string;
  IDS_ALPHABET: string;
  WEBHOOK_ALLOW_PRIVATE_TARGETS: boolean;
  WEBHOOK_TIMEOUT_SECONDS: number;
  WEBHOOK_RETRY_SCHEDULE_SECONDS?: readonly number[] | undefined;
  WEBHOOK_PROXY_URL?: string | undefined;
};

// Partitions of the API log exist for so many days ahead, in case the database is unreachable for hourly maintenance.
const partitionsAhead = 3;
const testsPerTenantMax = 3;
// Well below the number of connections that a gateway opens to a service.
const testsMax = 24;
const testWaitMs = 250;
const testsWaitingMax = 10;

/**
 * Definition of the integrations service: webhooks, deliveries, stored events and the API log.
 * @param resolve DNS lookup for webhook targets; uses the system's name servers by default
 */
export function integrationsService(
  settings: IntegrationsSettings,
  resolve?: Resolve,
): ServiceDefinition<typeof integrations, PrismaClient, IntegrationsSettings> {
  const { tools, measure } = createTools(settings, resolve);
  const person = personalData('integrations', integrationsData);
  return {
    name: 'integrations',
    operations: integrations,
    handlers: {
      ...webhookHandlers(tools),
      ...deliveryHandlers,
      ...recoveryHandlers,
      ...eventHandlers,
      ...apiLogHandlers,
      ...jobHandlers,
      ...exportHandlers,
      ...person.handlers,
    },
    consumers: [storeEvent(tools), ...person.consumers],
    jobs: [deliver(tools), recover, replay(tools), ...person.jobs],
    jobsOutsideMax: sendsMax + waitingMax,
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    narrowing: {
      Webhook: { owners: ['createdBy'] },
      Event: 'shared',
      Delivery: { through: ['webhook'] },
      Attempt: { through: ['delivery'] },
      Recovery: { through: ['webhook'] },
      ApiLog: 'shared',
    },
    maintenance: [
      {
        name: 'api log partitions',
        statement: `SELECT public.maintain_api_log_partitions(${partitionsAhead}, ${apiLogDays})`,
      },
    ],
    purge: [
      { table: 'event', column: 'stored_at', days: payloadDays },
      { table: 'attempt', column: 'started_at', days: payloadDays },
      { table: 'delivery', column: 'created_at', days: deliveryDays },
    ],
    sealed: sealedColumns,
    measure,
    settings,
  };
}

function createTools(
  settings: IntegrationsSettings,
  resolve: Resolve | undefined,
): { tools: Tools; measure: ObservedSender['measure'] } {
  const identity = createServiceClient({
    operations: internalUsers,
    baseUrl: settings.IDENTITY_URL,
    service: 'integrations',
    signer: createCallerSigner(settings.INTERNAL_SECRETS),
  });
  const target = createTarget({ allowPrivate: settings.WEBHOOK_ALLOW_PRIVATE_TARGETS, ...(resolve && { resolve }) });
  const { sender, measure } = observed(
    createSender({
      target,
      timeoutMs: settings.WEBHOOK_TIMEOUT_SECONDS * 1_000,
      proxyUrl: settings.WEBHOOK_PROXY_URL,
    }),
  );
  const tools = {
    ids: createIdCodec(settings.IDS_ALPHABET),
    seal: createSeal(settings.ENCRYPTION_KEY),
    target,
    sender,
    queue: createFairQueue(),
    testLimits: {
      tenant: createShares(testsPerTenantMax, testWaitMs, testsWaitingMax),
      all: createShares(testsMax, testWaitMs, testsWaitingMax),
    },
    permissionsOf: permissionsOfUsers(identity),
    schedules: createSchedules({ seconds: settings.WEBHOOK_RETRY_SCHEDULE_SECONDS }),
  };
  return { tools, measure };
}
