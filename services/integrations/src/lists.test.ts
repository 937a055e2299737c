import { integrations, webhooksMax } from '@tandem/integrations-contract';
import { everyList } from '@tandem/testing';
import { type Integrations, startIntegrations } from './testing.ts';

let service: Integrations;
beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service?.close());

const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

everyList(integrations, () => service as never, {
  recordsMax: { webhook: webhooksMax },
  // PostgreSQL reads no partition for times of days without one.
  samples: () => ({
    'listApiLogs.createdFrom': hoursFromNow(1),
    'listApiLogs.from': hoursFromNow(1),
    'listApiLogs.createdTo': hoursFromNow(-20),
    'listApiLogs.to': hoursFromNow(-20),
  }),
});
