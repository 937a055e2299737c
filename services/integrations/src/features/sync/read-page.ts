import type { FieldMapping, Secret } from '../../connectors/calling.ts';
import { CallError } from '../../connectors/connector.ts';
import { connectorOf } from '../../connectors/index.ts';
import { type Cursor, CursorExpiredError, type Sync, type SyncPage } from '../../connectors/sync.ts';
import type { Tools, Tx } from '../../handler.ts';
import { type Access, accessOf } from '../connections/access.ts';
import type { ConnectionRow } from '../connections/connection.ts';

/** A call of a connector, with what happened on the way. */
export interface Called<Result> {
  result?: Result;
  /** Why there is no result. */
  error: string | null;
  /** The earliest time of the next attempt that the system asked for. */
  retryAt?: Date | undefined;
  access?: Access;
}

/** A page of a sync. */
export interface Page extends SyncPage {
  isFromBeginning: boolean;
  /** The last link that was examined, once all records were read. */
  examinedTo: string | null;
}

type Usable = Required<Pick<Access, 'call' | 'secret'>>;

/** Calls a connected system; again with a fresh token if the system rejects the current one. */
export async function callSystem<Result>(
  tx: Tx,
  tools: Tools,
  connection: ConnectionRow,
  work: (access: Usable) => Promise<Result>,
): Promise<Called<Result>> {
  const { provider } = connectorOf(connection.connectorKey);
  // Credentials that were rejected once are tried again: there is nobody to authorize them.
  const isUsable = connection.status === 'connected' || (connection.status === 'error' && provider === null);
  if (!isUsable) return { error: 'connection_lost' };
  const attempt = async (access: Access): Promise<Called<Result>> => {
    if (!access.call || !access.secret) return { error: lossOf(access), access };
    try {
      return { result: await work({ call: access.call, secret: access.secret }), error: null, access };
    } catch (error) {
      if (error instanceof CallError) return { error: error.failure, retryAt: error.retryAt, access };
      throw error;
    }
  };
  const access = await accessOf(tx, tools, connection);
  const called = await attempt(access);
  if (called.error !== 'credentials_rejected' || !provider || access.refresh) return called;
  const renewed = await accessOf(tx, tools, connection, { isRejected: true, calls: access.calls });
  return renewed.refresh ? attempt(renewed) : called;
}

/** Why a connection has no token: its provider may only be out of order. */
function lossOf({ refresh }: Access): string {
  const isOutage =
    refresh?.kind === 'busy' || (refresh?.kind === 'failed' && refresh.failure === 'provider_unavailable');
  return isOutage ? 'provider_unavailable' : 'connection_lost';
}

/** Reads the next page of a sync; from the beginning if the system does not know the cursor any more. */
export async function readPage(
  sync: Sync,
  { sockets }: Pick<Tools, 'sockets'>,
  from: { cursor: Cursor | null; settings: Record<string, unknown>; fieldMappings: readonly FieldMapping[] },
  access: { call: Usable['call']; secret: Secret },
): Promise<Page> {
  const context = { ...access, ...from, sockets };
  try {
    return { ...(await sync.read(context)), isFromBeginning: from.cursor === null, examinedTo: null };
  } catch (error) {
    if (!(error instanceof CursorExpiredError) || from.cursor === null) throw error;
    return { ...(await sync.read({ ...context, cursor: null })), isFromBeginning: true, examinedTo: null };
  }
}
