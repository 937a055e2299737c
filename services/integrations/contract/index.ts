// The contract of integrations: webhooks, their deliveries, stored events, and the API log.
import { personalDataOperations, recordPages } from '@tandem/contract';
import { apiLogs } from './api-logs.ts';
import { deliveries } from './deliveries.ts';
import { storedEvents } from './events.ts';
import { internalApiCalls } from './internal-api-calls.ts';
import { jobs } from './jobs.ts';
import { recoveries } from './recoveries.ts';
import { webhookStats } from './webhook-stats.ts';
import { webhooks } from './webhooks.ts';

export * from './api-call-batch.ts';
export * from './api-logs.ts';
export * from './deliveries.ts';
export { eventVersions, schemaVersionOf } from './event-versions.ts';
export * from './events.ts';
export * from './internal-api-calls.ts';
export * from './jobs.ts';
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
  ...jobs,
  ...recordPages,
  ...personalDataOperations,
};
