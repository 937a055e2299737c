import { connectionsMax, connectorConfigsMax, integrations, webhooksMax } from '@tandem/integrations-contract';
import { everyList } from '@tandem/testing';
import { type Integrations, startIntegrations } from './testing.ts';

let service: Integrations;
beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service?.close());

const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

everyList(integrations, () => service as never, {
  recordsMax: { webhook: webhooksMax, connection: connectionsMax, connector_config: connectorConfigsMax },
  unsorted: { listConnectors: 'the connectors of the platform, which are not records' },
  // PostgreSQL reads no partition for times of days without one.
  samples: () => ({
    'listApiLogs.createdFrom': hoursFromNow(1),
    'listApiLogs.from': hoursFromNow(1),
    'listApiLogs.createdTo': hoursFromNow(-20),
    'listApiLogs.to': hoursFromNow(-20),
  }),
});
