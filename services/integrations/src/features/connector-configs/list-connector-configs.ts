import type { connectorConfigs } from '@tandem/integrations-contract';
import type { Handler } from '../../handler.ts';
import { asConnectorConfig } from './connector-config.ts';

export const listConnectorConfigs: Handler<typeof connectorConfigs.listConnectorConfigs> = async ({
  query,
  tx,
  list,
}) => {
  const { connectorKey, connectionId } = query;
  const page = await list({
    model: tx.connectorConfig,
    where: { ...(connectorKey && { connectorKey }), ...(connectionId !== undefined && { connectionId }) },
  });
  return { ...page, items: page.items.map(asConnectorConfig) };
};
