import type { Emit } from '@tandem/events';
import { connectionRefreshed, type connections, type refreshEvents } from '@tandem/integrations-contract';
import type { Schedule } from '@tandem/jobs';
import { fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { concludeRefresh } from './conclude-refresh.ts';
import { aboutConnection, asConnection, type ConnectionRow, findConnection, openTokens } from './connection.ts';
import { type Refresh, refreshOrWait } from './refresh.ts';

const freshMs = 5_000;

/** Calls the provider in `check`, because no transaction may be open while waiting for it. */
export const refreshConnection = (tools: Tools): Handler<typeof connections.refreshConnection, Refresh> => ({
  check: async ({ params, tx }) => refreshNow(tx, tools, await findConnection(tx, params.id)),
  run: ({ params, found, tx, emit, schedule }) => concludeNow({ tx, emit, schedule }, found, params.id, tools),
});

/** Refreshes the tokens of a connection at the request of a user. */
export async function refreshNow(tx: Tx, tools: Tools, row: ConnectionRow): Promise<Refresh> {
  if (row.status === 'pending') throw fail('authorization_pending');
  const tokens = openTokens(tools.seal, row);
  if (!tokens?.refreshToken) throw fail(row.status === 'needs_reauth' ? 'reauth_required' : 'not_refreshable');
  // A request that was sent at the same time, but read the connection after the refresh of another one.
  const isFresh = row.lastRefreshedAt !== null && Date.now() - row.lastRefreshedAt.getTime() < freshMs;
  return isFresh && row.status === 'connected' ? { kind: 'current', row } : refreshOrWait(tx, tools, row);
}

interface Inside {
  tx: Tx;
  emit: Emit<(typeof refreshEvents)[number]>;
  schedule: Schedule;
}

/** Stores the result of a refresh, and answers it or the reason of its failure. */
export async function concludeNow(inside: Inside, refresh: Refresh, id: number, tools: Tools) {
  if (refresh.kind === 'busy') throw fail('provider_unavailable', [], { retryAfter: 5 });
  const row = await concludeRefresh(inside, refresh, id, tools);
  if (row.deletedAt) throw fail('not_found');
  if (refresh.kind === 'refreshed')
    inside.emit(connectionRefreshed, { data: aboutConnection(row), record: asConnection(row) });
  if (refresh.kind === 'failed' && row.tokenNumber === refresh.tokenNumber) throw refusalOf(refresh);
  return asConnection(row);
}

function refusalOf({ failure }: Extract<Refresh, { kind: 'failed' }>) {
  const code = failure === 'invalid_grant' ? 'reauth_required' : failure;
  return fail(code, [], { keepsWrites: true, ...(code === 'provider_unavailable' && { retryAfter: 60 }) });
}
