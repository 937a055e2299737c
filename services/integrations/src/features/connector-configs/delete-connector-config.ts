import { connectorConfigDeleted, type connectorConfigs } from '@tandem/integrations-contract';
import type { Handler } from '../../handler.ts';
import { aboutConfig, asConnectorConfig, lockConfig } from './connector-config.ts';

export const deleteConnectorConfig: Handler<typeof connectorConfigs.deleteConnectorConfig> = async ({
  params,
  tx,
  emit,
  ifMatch,
}) => {
  const row = await lockConfig(tx, params.id);
  ifMatch(row);
  await tx.connectorConfig.deleteMany({ where: { id: row.id } });
  emit(connectorConfigDeleted, { data: aboutConfig(row), record: asConnectorConfig(row) });
  return { id: row.id, deleted: true };
};
