import type { Tx } from '../../handler.ts';
import { cancelRuns } from '../connector-runs/run.ts';
import { type ConnectionRow, writeConnection } from './connection.ts';

/**
 * Deletes a connection. The row stays for its configs, which become inactive.
 * @param options.keepCredentials keeps them until they are revoked at the provider
 */
export async function removeConnection(
  tx: Tx,
  { id }: Pick<ConnectionRow, 'id'>,
  { keepCredentials }: { keepCredentials: boolean },
): Promise<ConnectionRow> {
  await tx.oauthAuthorization.deleteMany({ where: { connectionId: id } });
  // Also the configs of others, which a caller who is narrowed to their own records does not see.
  const configs = await tx.sql<{ id: number }>`UPDATE connector_config
    SET active = false, inactive_reason = 'connection_deleted', next_sync_at = NULL, sync_round = sync_round + 1,
      updated_at = now(), version = version + 1
    WHERE connection_id = ${id} AND active RETURNING id`;
  await cancelRuns(
    tx,
    configs.map((config) => config.id),
  );
  return writeConnection(tx, id, {
    status: 'revoked',
    deletedAt: new Date(),
    refreshAt: null,
    expiresAt: null,
    ...(!keepCredentials && { credentials: '' }),
  });
}
