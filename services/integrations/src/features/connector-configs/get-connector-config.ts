import type { connectorConfigs } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asConnectorConfig } from './connector-config.ts';

export const getConnectorConfig: Handler<typeof connectorConfigs.getConnectorConfig> = async ({ params, tx }) => {
  const row = await tx.connectorConfig.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asConnectorConfig(row);
};
