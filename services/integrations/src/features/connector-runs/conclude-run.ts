import type { Inside } from '@tandem/jobs';
import type { ConnectorConfig as ConfigRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import type { ConnectionRow } from '../connections/connection.ts';
import { type Called, callSystem } from '../sync/read-page.ts';
import { observeRun } from './observe-runs.ts';
import { failRun, type RunOfConfig, storeResult, unfinished, withConfig, writeRun } from './run.ts';

/** A run whose attempt is due, with what it is about. */
export interface DueRun {
  run: RunOfConfig;
  config: ConfigRow;
  connection: ConnectionRow;
}

/**
 * Reads a run whose attempt is due, and marks it as running.
 * @returns undefined if there is nothing to do any more: the run has ended, or its config is inactive
 */
export async function beginRun(
  tx: Tx,
  { runId, round }: { runId: number; round: number },
): Promise<DueRun | undefined> {
  const found = await tx.connectorRun.findFirst({
    where: { id: runId, round, status: { in: unfinished } },
    include: withConfig,
  });
  const config = found && (await tx.connectorConfig.findFirst({ where: { id: found.configId, active: true } }));
  const connection = config && (await tx.connection.findFirst({ where: { id: config.connectionId, deletedAt: null } }));
  if (!connection) {
    // Its config became inactive while the run was created.
    const change = { status: 'cancelled', completedAt: new Date(), nextAttemptAt: null };
    if (found)
      await tx.connectorRun.updateMany({ where: { id: runId, round, status: { in: unfinished } }, data: change });
    return undefined;
  }
  if (found.status === 'running') return { run: found, config, connection };
  const change = { status: 'running', nextAttemptAt: null, startedAt: found.startedAt ?? new Date() };
  const { count } = await tx.connectorRun.updateMany({
    where: { id: runId, round, status: found.status },
    data: change,
  });
  return count ? { run: { ...found, ...change }, config, connection } : undefined;
}

/** Calls the connected system when it is the turn of the connection, as deliveries to webhooks do. */
export async function callInTurn<Result>(
  { tx, outside }: { tx: Tx; outside<T>(work: () => Promise<T>): Promise<T> },
  tools: Tools,
  connection: ConnectionRow,
  work: Parameters<typeof callSystem<Result>>[3],
): Promise<Called<Result> | { turnAt: Date }> {
  const { tenantId, id } = connection;
  const target = { tenant: String(tenantId), endpoint: `connection ${id}`, isSuspect: false };
  const slot = await outside(() => tools.queue.acquire(target));
  if ('retryAt' in slot) return { turnAt: slot.retryAt };
  const startMs = performance.now();
  return outside(() => callSystem(tx, tools, connection, work)).finally(() =>
    slot.release(performance.now() - startMs),
  );
}

/** Locks the config and the run, in this order as everywhere; undefined if the run has been cancelled or started again. */
export async function lockRunning(tx: Tx, { run, config }: DueRun): Promise<RunOfConfig | undefined> {
  const locked = await tx.connectorConfig.lockFirst({ where: { id: config.id } });
  const row = locked && (await tx.connectorRun.lockFirst({ where: { id: run.id, round: run.round } }));
  return row && unfinished.includes(row.status) ? ({ ...run, ...row } as RunOfConfig) : undefined;
}

/** Ends the run as failed, unless it has been cancelled or started again. */
export async function endRun(inside: Inside<Tx>, due: DueRun, reason: string): Promise<void> {
  const run = await lockRunning(inside.tx, due);
  if (run) await failRun(inside, run, reason);
}

/** Cancels a run that its config does not want any more. */
export async function cancelRun(tx: Tx, due: DueRun): Promise<void> {
  const run = await lockRunning(tx, due);
  const change = { status: 'cancelled', completedAt: new Date(), nextAttemptAt: null };
  if (run) observeRun(await writeRun(tx, run, change), 'cancelled');
}

/** Ends a run whose job has failed too often. */
export async function giveUpRun(inside: Inside<Tx> & { payload: { runId: number; round: number } }): Promise<void> {
  const { runId: id, round } = inside.payload;
  const run = await inside.tx.connectorRun.findFirst({ where: { id, round }, include: withConfig });
  if (run && unfinished.includes(run.status)) await failRun(inside, run, 'internal_error');
}

const permanent = /^(status_4\d\d|request_rejected|blocked_address)$/;

/**
 * Plans the next attempt as that of a delivery to a webhook, or ends the run if there is none.
 * @param options.error why the attempt failed
 * @param options.waitMaxMs the longest wait, unless the system asks for a longer one
 * @param options.isEvent whether each failure is tried again, as a receiver of webhooks expects; others that would happen
 * again end the run
 */
export async function retryLater(
  inside: Inside<Tx>,
  { schedules }: Pick<Tools, 'schedules'>,
  run: RunOfConfig,
  options: { error: string; retryAt?: Date | undefined; waitMaxMs?: number; isEvent?: boolean },
): Promise<Date | undefined> {
  const { error, retryAt, waitMaxMs = Number.POSITIVE_INFINITY, isEvent = false } = options;
  const attempts = run.attempts + 1;
  const isRetried = isEvent || !permanent.test(error);
  const planned = isRetried ? schedules.next(run.environment, attempts, retryAt) : undefined;
  if (!planned) return void (await failRun(inside, run, error));
  const limit = Math.max(Date.now() + waitMaxMs, retryAt?.getTime() ?? 0);
  const next = new Date(Math.min(planned.getTime(), limit));
  await storeResult(inside.tx, run.configId, error);
  observeRun(await writeRun(inside.tx, run, { status: 'waiting', attempts, error, nextAttemptAt: next }), 'waiting');
  return next;
}
