import type { connections } from '@tandem/integrations-contract';
import { createLog } from '@tandem/process';
import { fail } from '@tandem/service';
import { CallError, type CallFailure } from '../../connectors/connector.ts';
import { connectorOf } from '../../connectors/index.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { withinLimits } from '../../outgoing/within-limits.ts';
import { logOutgoing } from '../api-logs/log-outgoing.ts';
import { type Access, accessOf } from './access.ts';
import { concludeRefresh, recover, rejectCredentials, requireReauth } from './conclude-refresh.ts';
import { type ConnectionRow, findConnection, lockConnection } from './connection.ts';
import type { Refresh } from './refresh.ts';

interface Tested {
  latencyMs: number;
  error: CallFailure | 'reauth_required' | 'provider_refused' | null;
  refresh?: Refresh | undefined;
  calls: Access['calls'];
  /** The number of the credentials that were tested. */
  tokenNumber: number;
}

/** Calls the provider in `check`, because no transaction may be open while waiting for it. */
export const testConnection = (
  tools: Tools,
  log = createLog('integrations'),
): Handler<typeof connections.testConnection, Tested> => ({
  async check({ params, tx }) {
    const row = await findConnection(tx, params.id);
    if (row.credentials === '') throw fail('authorization_pending');
    return withinLimits(tools.testLimits, row, () => test(tx, tools, row));
  },
  async run({ params, found, caller, tx, emit, schedule }) {
    const { refresh, error, latencyMs, calls } = found;
    await logOutgoing(tx, caller, calls);
    if (refresh && refresh.kind !== 'busy') await concludeRefresh({ tx, emit, schedule }, refresh, params.id, tools);
    const row = await lockConnection(tx, params.id);
    if (error !== null)
      log.warn('connection test failed', { connector: row.connectorKey, error, connectionId: row.id });
    // The result says nothing about credentials that have replaced the tested ones meanwhile.
    if (row.tokenNumber !== found.tokenNumber) return { ok: error === null, latencyMs, error };
    if (error === null && row.status === 'error' && !isOauth(row)) await recover({ tx, emit }, row);
    if (error === 'credentials_rejected' && row.status === 'connected') {
      if (isOauth(row)) await requireReauth({ tx, emit }, row, error);
      else await rejectCredentials({ tx, emit }, row);
    }
    return { ok: error === null, latencyMs, error };
  },
});

async function test(tx: Tx, tools: Tools, row: ConnectionRow): Promise<Tested> {
  const access = await accessOf(tx, tools, row);
  const tested = await probe(tools, row, access);
  if (tested.error !== 'credentials_rejected' || !isOauth(row) || access.refresh) return tested;
  // The token may have been revoked before its end: a refresh tells whether the grant has ended too.
  const renewed = await accessOf(tx, tools, row, { isRejected: true, calls: access.calls });
  return renewed.refresh ? probe(tools, row, renewed) : tested;
}

async function probe(
  { sockets }: Tools,
  row: ConnectionRow,
  { call, secret, refresh, calls }: Access,
): Promise<Tested> {
  const { tokenNumber } = refresh && 'row' in refresh ? refresh.row : row;
  if (!call || !secret) return { latencyMs: 0, error: failureOf(refresh), refresh, calls, tokenNumber };
  const startMs = performance.now();
  const error = await connectorOf(row.connectorKey)
    .probe(call, secret, sockets)
    .then(
      () => null,
      (reason: unknown) => {
        if (reason instanceof CallError) return reason.failure;
        throw reason;
      },
    );
  return { latencyMs: Math.round(performance.now() - startMs), error, refresh, calls, tokenNumber };
}

/** Why there is no token to call the provider with. */
export function failureOf(refresh: Refresh | undefined): Exclude<Tested['error'], null> {
  if (refresh?.kind !== 'failed') return 'provider_unavailable';
  return refresh.failure === 'invalid_grant' ? 'reauth_required' : refresh.failure;
}

function isOauth({ connectorKey }: ConnectionRow): boolean {
  return connectorOf(connectorKey).provider !== null;
}
