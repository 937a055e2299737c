import { Connection, type ConnectorKey, connectionStates, connectionsMax } from '@tandem/integrations-contract';
import type { Seal } from '@tandem/sealed';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Secret } from '../../connectors/calling.ts';
import type { Connection as ConnectionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type ConnectionRecord = z.output<typeof Connection>;
export type { ConnectionRow };

const columns = Connection.pick({ environment: true, connectorKey: true, status: true, lastError: true });
const context = 'connection credentials';

/** The encrypted column of connections. */
export const sealedCredentials = { table: 'connection', column: 'credentials', context, ref: 'seal_ref' };

/** Converts a row to the contract's `Connection`, without credentials. */
export function asConnection(row: ConnectionRow): ConnectionRecord {
  const parsed = columns.parse(row);
  const { accountId: id, accountName: name } = row;
  return {
    ...row,
    ...parsed,
    account: id === null ? null : { id, name },
    allowedTransitions: connectionStates.next(parsed.status),
  };
}

/** The data of the events of a connection. */
export function aboutConnection({ id, connectorKey }: Pick<ConnectionRow, 'id' | 'connectorKey'>) {
  return { connectionId: id, connectorKey: connectorKey as ConnectorKey };
}

/** Encrypts the credentials of a connection. */
export function sealCredentials(seal: Seal, sealRef: string, secret: Secret): string {
  return seal.seal(JSON.stringify(secret), `${context} ${sealRef}`);
}

/** Decrypts the credentials of a connection. */
export function openCredentials(seal: Seal, { sealRef, credentials }: ConnectionRow): Secret {
  return JSON.parse(seal.open(credentials, `${context} ${sealRef}`));
}

/** The tokens of a connection with OAuth 2.0. */
export interface StoredTokens {
  accessToken: string;
  refreshToken: string | null;
}

/** Decrypts the tokens of a connection; undefined before its first authorization. */
export function openTokens(seal: Seal, row: ConnectionRow): StoredTokens | undefined {
  return row.credentials === '' ? undefined : (openCredentials(seal, row) as unknown as StoredTokens);
}

/** Finds a connection that is not deleted and that the caller may access. */
export async function findConnection(tx: Tx, id: number): Promise<ConnectionRow> {
  const row = await tx.connection.findFirst({ where: { id, deletedAt: null } });
  if (!row) throw fail('not_found');
  return row;
}

/** Locks a connection, so that checks on it still hold when it is written. */
export async function lockConnection(tx: Tx, id: number): Promise<ConnectionRow> {
  const row = await tx.connection.lockFirst({ where: { id, deletedAt: null } });
  if (!row) throw fail('not_found');
  return row as ConnectionRow;
}

export type ConnectionChange = Parameters<Tx['connection']['updateManyAndReturn']>[0]['data'];

/** Writes changes of what callers see, as the next version. */
export async function writeConnection(tx: Tx, id: number, data: ConnectionChange): Promise<ConnectionRow> {
  const [row] = await tx.connection.updateManyAndReturn({
    where: { id },
    data: { ...data, updatedAt: new Date(), version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  return row;
}

/** Counts all connections, including those hidden from the caller, and blocks concurrent creation with a lock. */
export async function checkConnectionLimit(tx: Tx): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(
    hashtextextended('connections', platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
  const [found] = await tx.sql<{
    count: number;
  }>`SELECT count(*)::int AS count FROM connection WHERE deleted_at IS NULL`;
  if ((found?.count ?? 0) >= connectionsMax) throw fail('too_many_connections');
}
