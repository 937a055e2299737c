import { connectionsMax, connectorConfigsMax, integrations, webhooksMax } from '@tandem/integrations-contract';
import { everyList } from '@tandem/testing';
import { type Integrations, startIntegrations } from './testing.ts';

let service: Integrations;
beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service?.close());

everyList(integrations, () => service as never, {
  recordsMax: { webhook: webhooksMax, connection: connectionsMax, connector_config: connectorConfigsMax },
  unsorted: { listConnectors: 'the connectors of the platform, which are not records' },
});
