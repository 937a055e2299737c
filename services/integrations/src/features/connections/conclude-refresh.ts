import type { EventDef } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import {
  type ConnectionError,
  connectionFailed,
  connectionNeedsReauth,
  connectionRecovered,
} from '@tandem/integrations-contract';
import type { Schedule } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { aboutConnection, asConnection, type ConnectionRow, writeConnection } from './connection.ts';
import { type Refresh, refreshConnectionJob } from './refresh.ts';

type Failure = z.output<typeof ConnectionError>;
type RefreshEvent = typeof connectionFailed | typeof connectionNeedsReauth | typeof connectionRecovered;

interface Inside<E extends EventDef = RefreshEvent> {
  tx: Tx;
  emit: Emit<E>;
}

/** The provider must refuse a grant this often in a row before a user has to authorize the connection again. */
const refusalsMax = 2;
const refusedRetryMs = 3_600_000;
const retryMaxMs = 900_000;

/**
 * Stores what a refresh means for the status of the connection. The job of the connection goes on unless `schedule` is
 * given, which starts another one for the new tokens.
 */
export async function concludeRefresh(
  { tx, emit, schedule }: Inside & { schedule?: Schedule },
  refresh: Exclude<Refresh, { kind: 'busy' }>,
  id: number,
  { refreshRetryMs }: Pick<Tools, 'refreshRetryMs'>,
): Promise<ConnectionRow> {
  const row = (await tx.connection.lockFirst({ where: { id } })) as ConnectionRow;
  if (row.deletedAt) return row;
  if (refresh.kind === 'failed') {
    if (row.tokenNumber !== refresh.tokenNumber) return row;
    return concludeFailure({ tx, emit }, row, refresh, refreshRetryMs);
  }
  const current = row.status === 'connected' && row.lastError === null ? row : await recover({ tx, emit }, row);
  return schedule && refresh.kind === 'refreshed' ? startRefreshing({ tx, schedule }, current) : current;
}

/** Starts the job that refreshes the tokens before they expire; jobs for earlier tokens end. */
export async function startRefreshing(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  row: Pick<ConnectionRow, 'id'>,
): Promise<ConnectionRow> {
  const [started] = await tx.connection.updateManyAndReturn({
    where: { id: row.id },
    data: { refreshRound: { increment: 1 } },
  });
  const { id, refreshRound: round, refreshAt } = started as ConnectionRow;
  if (refreshAt) await schedule(refreshConnectionJob, [{ connectionId: id, round }], refreshAt);
  return started as ConnectionRow;
}

/** Marks a connection as working. */
export async function recover(
  { tx, emit }: Inside<typeof connectionRecovered>,
  before: ConnectionRow,
): Promise<ConnectionRow> {
  const row = await writeConnection(tx, before.id, {
    status: 'connected',
    lastError: null,
    invalidGrants: 0,
    failingSince: null,
  });
  if (before.status !== 'connected')
    emit(connectionRecovered, { data: aboutConnection(row), record: asConnection(row) });
  return row;
}

/** Marks a connection as one that a user has to authorize again, unless it has got other tokens since it was read. */
export async function requireReauth(
  inside: Inside,
  { id, tokenNumber }: ConnectionRow,
  reason: Failure,
): Promise<ConnectionRow | undefined> {
  const row = await inside.tx.connection.lockFirst({ where: { id, tokenNumber, deletedAt: null } });
  return row
    ? failConnection(inside, row as ConnectionRow, { status: 'needs_reauth', reason, refreshAt: null })
    : undefined;
}

/** Marks a connection with credentials that the system rejects. */
export function rejectCredentials(inside: Inside, row: ConnectionRow) {
  return failConnection(inside, row, { status: 'error', reason: 'credentials_rejected', refreshAt: null });
}

function concludeFailure(
  inside: Inside,
  row: ConnectionRow,
  { failure, refusals }: Extract<Refresh, { kind: 'failed' }>,
  retryMs: number,
): Promise<ConnectionRow> {
  if (row.status === 'needs_reauth') return Promise.resolve(row);
  const now = Date.now();
  const failingSince = row.failingSince ?? new Date(now);
  if (failure === 'provider_refused')
    return failConnection(inside, row, {
      status: 'error',
      reason: failure,
      refreshAt: new Date(now + refusedRetryMs),
      failingSince,
    });
  // The wait doubles as long as refreshes fail.
  const waitMs = Math.min(Math.max(retryMs, now - failingSince.getTime()), retryMaxMs);
  const later = { refreshAt: new Date(now + waitMs), failingSince };
  if (failure === 'provider_unavailable') return keepConnection(inside, row, { reason: failure, ...later });
  const invalidGrants = row.invalidGrants + refusals;
  return invalidGrants < refusalsMax
    ? keepConnection(inside, row, { reason: failure, invalidGrants, ...later })
    : failConnection(inside, row, { status: 'needs_reauth', reason: failure, invalidGrants, refreshAt: null });
}

type Change = {
  reason: Failure;
  invalidGrants?: number;
  refreshAt: Date | null;
  failingSince?: Date;
};

/** Stores a failure that does not change the status. */
function keepConnection({ tx }: Pick<Inside, 'tx'>, { id }: ConnectionRow, { reason: lastError, ...change }: Change) {
  return writeConnection(tx, id, { lastError, ...change });
}

async function failConnection(
  { tx, emit }: Inside,
  before: ConnectionRow,
  { status, reason, ...change }: Change & { status: 'needs_reauth' | 'error' },
): Promise<ConnectionRow> {
  const row = await writeConnection(tx, before.id, { status, lastError: reason, ...change });
  if (before.status === status) return row;
  const about = { data: { ...aboutConnection(row), reason }, record: asConnection(row) };
  emit(status === 'needs_reauth' ? connectionNeedsReauth : connectionFailed, about);
  return row;
}
