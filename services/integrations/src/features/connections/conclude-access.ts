import type { Inside } from '@tandem/jobs';
import { connectorOf } from '../../connectors/index.ts';
import type { Tools, Tx } from '../../handler.ts';
import { logOutgoing } from '../api-logs/log-outgoing.ts';
import type { Called } from '../sync/read-page.ts';
import { concludeRefresh, recover, rejectCredentials, requireReauth } from './conclude-refresh.ts';
import type { ConnectionRow } from './connection.ts';

/**
 * Stores what calls to a connected system have shown: the result of a refresh, credentials that it rejects, and the calls
 * themselves in the API log.
 */
export async function concludeAccess(
  inside: Inside<Tx>,
  tools: Tools,
  connection: ConnectionRow,
  { called: { access, error }, as }: { called: Called<unknown>; as: Parameters<typeof logOutgoing>[1] },
): Promise<void> {
  if (access?.refresh && access.refresh.kind !== 'busy')
    await concludeRefresh(inside, access.refresh, connection.id, tools);
  // The credentials that were rejected, which may have been refreshed meanwhile.
  const used = access?.refresh && 'row' in access.refresh ? access.refresh.row : connection;
  if (error === 'credentials_rejected') await endConnection(inside, used);
  if (access && error === null && connection.status === 'error') await recoverConnection(inside, connection);
  if (access) await logOutgoing(inside.tx, as, access.calls);
}

/** Marks a connection as working whose credentials the system had rejected. */
async function recoverConnection({ tx, emit }: Inside<Tx>, { id, tokenNumber }: ConnectionRow): Promise<void> {
  const row = await tx.connection.lockFirst({ where: { id, tokenNumber, deletedAt: null } });
  if (row?.status === 'error') await recover({ tx, emit }, row as ConnectionRow);
}

/** Marks a connection whose credentials the system rejects, unless it has got other ones meanwhile. */
async function endConnection(inside: Inside<Tx>, connection: ConnectionRow): Promise<void> {
  if (connectorOf(connection.connectorKey).provider)
    return void (await requireReauth(inside, connection, 'credentials_rejected'));
  const { id, tokenNumber } = connection;
  const row = await inside.tx.connection.lockFirst({ where: { id, tokenNumber, deletedAt: null } });
  if (row?.status === 'connected') await rejectCredentials(inside, row as ConnectionRow);
}
