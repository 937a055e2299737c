import type { Tx } from '../../handler.ts';
import { type ConnectionRow, writeConnection } from './connection.ts';
import { deactivateConfigs } from './deactivate-configs.ts';

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
  await deactivateConfigs(tx, id, 'connection_deleted');
  return writeConnection(tx, id, {
    status: 'revoked',
    deletedAt: new Date(),
    refreshAt: null,
    expiresAt: null,
    ...(!keepCredentials && { credentials: '' }),
  });
}
