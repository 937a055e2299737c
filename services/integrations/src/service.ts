import { createCallerSigner } from '@tandem/caller';
import { internalMail } from '@tandem/campaign-contract';
import { createServiceClient } from '@tandem/client/internal';
import { internalUsers } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { apiLogDays, deliveryDays, integrations, payloadDays, runDays } from '@tandem/integrations-contract';
import { createGuardedConnect, createGuardedFetch, createTarget, type Resolve } from '@tandem/outgoing';
import { createShares } from '@tandem/process';
import { createLinkTokens, createSeal } from '@tandem/sealed';
import { personalData, type ServiceDefinition } from '@tandem/service';
import { apiLogHandlers } from './features/api-logs/index.ts';
import { sealedCredentials } from './features/connections/connection.ts';
import { connectionHandlers } from './features/connections/index.ts';
import { keepConnectionFresh } from './features/connections/refresh-connection.job.ts';
import { revokeConnection } from './features/connections/revoke-connection.job.ts';
import { revokeOfTenant } from './features/connections/revoke-of-tenant.ts';
import { actOnEvent } from './features/connector-configs/act-on-event.job.ts';
import { connectorConfigHandlers } from './features/connector-configs/index.ts';
import { connectorRunHandlers } from './features/connector-runs/index.ts';
import { measureRuns } from './features/connector-runs/observe-runs.ts';
import { runSync } from './features/connector-runs/run-sync.job.ts';
import { startSync } from './features/connector-runs/start-sync.job.ts';
import { connectorHandlers } from './features/connectors/index.ts';
import { deliver } from './features/deliveries/deliver.job.ts';
import { deliveryHandlers } from './features/deliveries/index.ts';
import { eventHandlers } from './features/events/index.ts';
import { storeEvent } from './features/events/on-catalogued-event.ts';
import { exportHandlers } from './features/exports/index.ts';
import { jobHandlers } from './features/jobs/index.ts';
import { sealedVerifier } from './features/oauth/authorization.ts';
import { endAuthorization } from './features/oauth/end-authorization.job.ts';
import { oauthHandlers } from './features/oauth/index.ts';
import { integrationsData } from './features/personal-data/integrations-data.ts';
import { recoveryHandlers } from './features/recoveries/index.ts';
import { recover } from './features/recoveries/recover.job.ts';
import { replay } from './features/recoveries/replay.job.ts';
import { crmOperations } from './features/sync/crm-operations.ts';
import { pushCalendarEvents } from './features/sync/on-calendar-event.ts';
import { pushEvent } from './features/sync/push-event.job.ts';
import { webhookHandlers } from './features/webhooks/index.ts';
import { sealedColumns } from './features/webhooks/sealed-parts.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Tools } from './handler.ts';
import { createFairQueue, sendsMax, waitingMax } from './outgoing/fair-queue.ts';
import { type ObservedSender, observed } from './outgoing/observe.ts';
import { createSchedules } from './outgoing/retry-schedule.ts';
import { createSender } from './outgoing/send.ts';
import { permissionsOfUsers } from './permissions-of.ts';
import { createOauthClient } from './providers/oauth-client.ts';
import type { IntegrationsSettings } from './settings.ts';

// Partitions of the API log exist for so many days ahead, in case the database is unreachable for hourly maintenance.
const partitionsAhead = 3;
// Two of them, as a refresh may make, take less than its lease.
const callTimeoutMs = 8_000;
// A deleted connection stays for its configs, which can be moved to another one.
const deletedDays = 30;
const testsPerTenantMax = 3;
// Well below the number of connections that a gateway opens to a service.
const testsMax = 24;
const testWaitMs = 250;
const testsWaitingMax = 10;

/**
 * Definition of the integrations service: webhooks, deliveries, stored events, the API log, and connections to other systems.
 * @param resolve DNS lookup for webhook targets; uses the system's name servers by default
 */
export function integrationsService(
  settings: IntegrationsSettings,
  resolve?: Resolve,
): ServiceDefinition<typeof integrations, PrismaClient, IntegrationsSettings> {
  const { tools, measure, close } = createTools(settings, resolve);
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
      ...connectorHandlers(tools),
      ...oauthHandlers(tools),
      ...connectionHandlers(tools),
      ...connectorConfigHandlers,
      ...connectorRunHandlers(tools),
      ...jobHandlers,
      ...exportHandlers,
      ...person.handlers,
    },
    consumers: [storeEvent(tools), pushCalendarEvents, ...person.consumers],
    jobs: [
      deliver(tools),
      recover,
      replay(tools),
      keepConnectionFresh(tools),
      revokeConnection(tools),
      endAuthorization,
      actOnEvent(tools),
      startSync,
      runSync(tools),
      pushEvent(tools),
      ...person.jobs,
    ],
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
      Connection: { owners: ['createdBy'] },
      OauthAuthorization: { through: ['connection'] },
      ConnectorConfig: { owners: ['createdBy'] },
      ConnectorRun: { through: ['config'] },
      ConnectorRunItem: { through: ['run'] },
      SyncLink: { through: ['connection'] },
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
      { table: 'connection', column: 'deleted_at', days: deletedDays },
      { table: 'connector_run', column: 'created_at', days: runDays },
      { table: 'oauth_authorization', column: 'created_at', days: 1 },
    ],
    sealed: [...sealedColumns, sealedCredentials, sealedVerifier],
    tenantRemoval: revokeOfTenant(tools),
    measure(metrics) {
      measure(metrics);
      measureRuns(metrics);
    },
    settings,
    close: () => close(),
  };
}

function createTools(
  settings: IntegrationsSettings,
  resolve: Resolve | undefined,
): { tools: Tools; measure: ObservedSender['measure']; close: () => Promise<void> } {
  const peer = { service: 'integrations', signer: createCallerSigner(settings.INTERNAL_SECRETS) };
  const identity = createServiceClient({ ...peer, operations: internalUsers, baseUrl: settings.IDENTITY_URL });
  const crm = createServiceClient({ ...peer, operations: crmOperations, baseUrl: settings.CRM_URL });
  const campaign = createServiceClient({ ...peer, operations: internalMail, baseUrl: settings.CAMPAIGN_URL });
  const target = createTarget({ allowPrivate: settings.WEBHOOK_ALLOW_PRIVATE_TARGETS, ...(resolve && { resolve }) });
  const { sender, measure } = observed(
    createSender({
      target,
      timeoutMs: settings.WEBHOOK_TIMEOUT_SECONDS * 1_000,
      proxyUrl: settings.WEBHOOK_PROXY_URL,
    }),
  );
  const guarded = createGuardedFetch({
    target,
    name: 'A connected system',
    timeoutMs: callTimeoutMs,
    proxyUrl: settings.WEBHOOK_PROXY_URL,
  });
  const seal = createSeal(settings.ENCRYPTION_KEY);
  const allowHttp = settings.WEBHOOK_ALLOW_PRIVATE_TARGETS;
  const tools: Tools = {
    ids: createIdCodec(settings.IDS_ALPHABET),
    seal,
    target,
    sender,
    queue: createFairQueue(),
    testLimits: {
      tenant: createShares(testsPerTenantMax, testWaitMs, testsWaitingMax),
      all: createShares(testsMax, testWaitMs, testsWaitingMax),
    },
    identity,
    crm,
    campaign,
    permissionsOf: permissionsOfUsers(identity),
    schedules: createSchedules({ seconds: settings.WEBHOOK_RETRY_SCHEDULE_SECONDS }),
    oauth: createOauthClient({ settings, fetch: guarded.fetch, allowHttp }),
    states: createLinkTokens(seal, 'authorization'),
    calls: { fetch: guarded.fetch, stripeUrl: settings.STRIPE_URL },
    sockets: {
      connect: createGuardedConnect({ target, name: 'A connected system', timeoutMs: callTimeoutMs }),
      allowsPlain: settings.WEBHOOK_ALLOW_PRIVATE_TARGETS,
    },
    publicUrl: settings.PUBLIC_URL,
    redirectOrigins: redirectOriginsOf(settings),
    refreshRetryMs: settings.OAUTH_RETRY_SECONDS * 1_000,
  };
  return { tools, measure, close: guarded.close };
}

/** The console, and what the operator lists besides it. */
function redirectOriginsOf({ CONSOLE_URL, OAUTH_REDIRECT_ORIGINS = [] }: IntegrationsSettings): string[] {
  return [...new Set([...(CONSOLE_URL === undefined ? [] : [new URL(CONSOLE_URL).origin]), ...OAUTH_REDIRECT_ORIGINS])];
}
