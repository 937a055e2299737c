import type { connectorConfigs } from '@tandem/integrations-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { createConnectorConfig } from './create-connector-config.ts';
import { deleteConnectorConfig } from './delete-connector-config.ts';
import { getConnectorConfig } from './get-connector-config.ts';
import { listConnectorConfigs } from './list-connector-configs.ts';
import { updateConnectorConfig } from './update-connector-config.ts';

export const connectorConfigHandlers = {
  listConnectorConfigs,
  createConnectorConfig,
  getConnectorConfig,
  updateConnectorConfig,
  deleteConnectorConfig,
} satisfies Handlers<typeof connectorConfigs, Tx>;
