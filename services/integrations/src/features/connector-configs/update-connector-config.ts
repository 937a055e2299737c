import { type connectorConfigs, connectorConfigUpdated } from '@tandem/integrations-contract';
import { diff, fail, toJsonColumn } from '@tandem/service';
import { connectorOf } from '../../connectors/index.ts';
import type { Handler, Tx } from '../../handler.ts';
import { authorizationOf } from '../webhooks/webhook.ts';
import {
  aboutConfig,
  asConnectorConfig,
  type ConfigRow,
  findConnectionOf,
  lockConfig,
  mappingsOf,
  readSettings,
} from './connector-config.ts';

export const updateConnectorConfig: Handler<typeof connectorConfigs.updateConnectorConfig> = async ({
  params,
  body,
  caller,
  tx,
  emit,
  ifMatch,
}) => {
  const before = await lockConfig(tx, params.id);
  ifMatch(before);
  const connector = connectorOf(before.connectorKey);
  const { connectionId, fieldMappings, active } = body;
  // Whoever only deactivates a config needs no permission for its events.
  const isAuthorizing = Boolean(body.settings || fieldMappings || active || connectionId !== undefined);
  const asked = { settings: body.settings ?? before.settings, fieldMappings: fieldMappings ?? mappingsOf(before) };
  const settings = isAuthorizing ? toJsonColumn(readSettings(connector, asked, caller)) : undefined;
  if (connectionId !== undefined) await findConnectionOf(tx, connector, connectionId);
  else if (active) await checkConnection(tx, before);
  const { values, audit, isEmpty } = diff(before, {
    ...(connectionId !== undefined && { connectionId }),
    ...(settings && { settings }),
    ...(fieldMappings && { fieldMappings }),
    ...(active !== undefined && { active }),
  });
  if (isEmpty) return asConnectorConfig(before);
  const [row] = await tx.connectorConfig.updateManyAndReturn({
    where: { id: before.id },
    data: {
      ...values,
      ...(active !== undefined && { inactiveReason: null }),
      ...(isAuthorizing && authorizationOf(caller)),
      updatedAt: new Date(),
      version: { increment: 1 },
    },
  });
  const config = asConnectorConfig(row as ConfigRow);
  emit(connectorConfigUpdated, {
    data: { ...aboutConfig(row as ConfigRow), fields: Object.keys(values) },
    record: config,
    changes: audit,
  });
  return config;
};

/** A config without its connection could not act. */
async function checkConnection(tx: Tx, { connectionId: id }: ConfigRow): Promise<void> {
  if (!(await tx.connection.count({ where: { id, deletedAt: null } }))) throw fail('connection_deleted');
}
