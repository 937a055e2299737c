import { integrations } from '@tandem/integrations-contract';
import { everyList } from '@tandem/testing';
import { type Integrations, startIntegrations } from './testing.ts';

let service: Integrations;
beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service?.close());

everyList(integrations, () => service as never, {
  'listWebhooks.active': 'a tenant has some dozens of webhooks',
  'listWebhooks.search': 'a tenant has some dozens of webhooks',
  'listWebhooks.url': 'a tenant has some dozens of webhooks',
});
