// What integrations offers: webhooks, their deliveries, and the events that were sent.
import { deliveries } from './deliveries.ts';
import { storedEvents } from './events.ts';
import { jobs } from './jobs.ts';
import { webhooks } from './webhooks.ts';

export * from './deliveries.ts';
export * from './events.ts';
export * from './jobs.ts';
export * from './webhooks.ts';

export const integrations = { ...webhooks, ...deliveries, ...storedEvents, ...jobs };
