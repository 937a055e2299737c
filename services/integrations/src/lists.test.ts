import { integrations, webhooksMax } from '@tandem/integrations-contract';
import { everyList } from '@tandem/testing';
import { type Integrations, startIntegrations } from './testing.ts';

let service: Integrations;
beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service?.close());

everyList(integrations, () => service as never, { recordsMax: { webhook: webhooksMax } });
