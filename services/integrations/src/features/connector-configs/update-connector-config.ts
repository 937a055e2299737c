import { type connectorConfigs, connectorConfigUpdated } from '@tandem/integrations-contract';
import { diff, fail, toJsonColumn } from '@tandem/service';
import { connectorOf } from '../../connectors/index.ts';
import type { Handler, Tx } from '../../handler.ts';
import { authorizationOf } from '../webhooks/webhook.ts';
import {
  aboutConfig,
  asConnectorConfig,
  type ConfigRow,
  lockConfig,
  lockConnectionOf,
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
  const { connectionId, fieldMappings, active } = body;
  await lockConnectionFor(tx, params.id, { connectionId, active });
  const before = await lockConfig(tx, params.id);
  ifMatch(before);
  const connector = connectorOf(before.connectorKey);
  // Deactivating a config needs no permission for its events.
  const isAuthorizing = Boolean(body.settings || fieldMappings || active || connectionId !== undefined);
  const asked = { settings: body.settings ?? before.settings, fieldMappings: fieldMappings ?? mappingsOf(before) };
  const settings = isAuthorizing ? toJsonColumn(readSettings(connector, asked, caller)) : undefined;
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

/** Locks the connection that the config will have, if the request sets it or needs it. */
async function lockConnectionFor(
  tx: Tx,
  id: number,
  { connectionId, active }: { connectionId: number | undefined; active: boolean | undefined },
): Promise<void> {
  const config = await tx.connectorConfig.findFirst({ where: { id } });
  if (!config) throw fail('not_found');
  if (connectionId !== undefined) return lockConnectionOf(tx, config.connectorKey, connectionId);
  if (!active) return;
  // The connection may belong to somebody else.
  const [found] =
    await tx.sql`SELECT id FROM connection WHERE id = ${config.connectionId} AND deleted_at IS NULL FOR UPDATE`;
  if (!found) throw fail('connection_deleted');
}
