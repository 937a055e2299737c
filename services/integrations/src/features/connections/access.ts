import { callOf } from '../../connectors/call.ts';
import type { Call, Secret } from '../../connectors/calling.ts';
import { connectorOf } from '../../connectors/index.ts';
import type { Tools, Tx } from '../../handler.ts';
import type { OutgoingCall } from '../api-logs/log-outgoing.ts';
import { type ConnectionRow, openCredentials, openTokens } from './connection.ts';
import { type Refresh, refreshOrWait } from './refresh.ts';

/** The calls of a connection, or why it has none. */
export interface Access {
  call?: Call;
  secret?: Secret;
  /** A refresh that was needed first, whose consequences have to be stored. */
  refresh?: Refresh;
  /** The calls that were made, for the API log. */
  calls: OutgoingCall[];
}

const expiringMs = 30_000;

/**
 * Opens a connection for calls. A token that is about to expire is refreshed first.
 * @param options.isRejected whether the system rejected the current token, although it has not expired
 * @param options.calls calls that were made before
 */
export async function accessOf(
  tx: Tx,
  tools: Tools,
  row: ConnectionRow,
  { isRejected = false, calls = [] }: { isRejected?: boolean; calls?: OutgoingCall[] | undefined } = {},
): Promise<Access> {
  const connector = connectorOf(row.connectorKey);
  const open = (secret: Secret) => ({
    call: callOf(connector, secret, { ...tools.calls, oauth: tools.oauth }, calls),
    secret,
    calls,
  });
  if (!connector.provider) return open(openCredentials(tools.seal, row));
  const tokens = openTokens(tools.seal, row);
  if (!tokens) return { calls };
  const isExpiring = row.expiresAt !== null && row.expiresAt.getTime() - Date.now() < expiringMs;
  if (!isRejected && !isExpiring) return open({ ...tokens });
  if (tokens.refreshToken === null) return isRejected ? { calls } : open({ ...tokens });
  const refresh = await refreshOrWait(tx, tools, row);
  if (refresh.kind === 'busy' || refresh.kind === 'failed') return { refresh, calls };
  return { refresh, ...open({ ...openTokens(tools.seal, refresh.row) }) };
}
