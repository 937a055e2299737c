// The contract of integrations: webhooks, their deliveries, stored events, the API log, and connections to other systems.
import { personalDataOperations, recordPages } from '@tandem/contract';
import { apiLogs } from './api-logs.ts';
import { connections } from './connections.ts';
import { connectorConfigs } from './connector-configs.ts';
import { connectorRuns } from './connector-runs.ts';
import { connectors } from './connectors.ts';
import { deliveries } from './deliveries.ts';
import { storedEvents } from './events.ts';
import { internalApiCalls } from './internal-api-calls.ts';
import { jobs } from './jobs.ts';
import { oauth } from './oauth.ts';
import { recoveries } from './recoveries.ts';
import { webhookStats } from './webhook-stats.ts';
import { webhooks } from './webhooks.ts';

export * from './api-call-batch.ts';
export * from './api-logs.ts';
export * from './connection.ts';
export * from './connection-events.ts';
export * from './connections.ts';
export * from './connector.ts';
export * from './connector-configs.ts';
export * from './connector-run.ts';
export * from './connector-runs.ts';
export * from './connectors.ts';
export * from './deliveries.ts';
export { eventVersions, schemaVersionOf } from './event-versions.ts';
export * from './events.ts';
export * from './internal-api-calls.ts';
export * from './jobs.ts';
export * from './oauth.ts';
export * from './recoveries.ts';
export { DisabledReason, hiddenValue, Webhook } from './webhook.ts';
export * from './webhook-events.ts';
export { filterLimits, filterOperators, WebhookFilter } from './webhook-filter.ts';
export * from './webhook-stats.ts';
export * from './webhooks.ts';

export const integrations = {
  ...webhooks,
  ...webhookStats,
  ...deliveries,
  ...recoveries,
  ...storedEvents,
  ...apiLogs,
  ...internalApiCalls,
  ...connectors,
  ...oauth,
  ...connections,
  ...connectorConfigs,
  ...connectorRuns,
  ...jobs,
  ...recordPages,
  ...personalDataOperations,
};
