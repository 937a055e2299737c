import { fail } from '@tandem/service';
import { connectorOf } from '../../connectors/index.ts';
import type { Tx } from '../../handler.ts';
import type { ConfigRow } from './connector-config.ts';

/**
 * Fails for a sync of an account that an active config already syncs by another connection: links belong to a connection, so
 * that both would create the same records. Configs of others count too. The caller holds the lock of `lockConfigs`.
 */
export async function checkAccount(
  tx: Tx,
  { id, connectorKey, connectionId, active }: Pick<ConfigRow, 'id' | 'connectorKey' | 'connectionId' | 'active'>,
): Promise<void> {
  if (!active || !connectorOf(connectorKey).sync) return;
  const [other] = await tx.sql`SELECT 1 FROM connector_config AS config
    JOIN connection AS theirs ON theirs.id = config.connection_id
    JOIN connection AS own ON own.id = ${connectionId}::bigint
    WHERE config.active AND config.id <> ${id}::bigint AND config.connection_id <> own.id
      AND config.connector_key = ${connectorKey} AND theirs.account_id = own.account_id LIMIT 1`;
  if (other) throw fail('account_synced');
}
