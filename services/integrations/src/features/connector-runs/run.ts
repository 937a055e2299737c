import type { Emit } from '@tandem/events';
import {
  type ConnectorKey,
  ConnectorRun,
  connectorRunStates,
  type RunCounts,
  runFailed,
  syncCompleted,
} from '@tandem/integrations-contract';
import { fail, toJsonColumn } from '@tandem/service';
import type { z } from 'zod';
import type { ConnectorConfig as ConfigRow, ConnectorRun as RunRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { observeRun } from './observe-runs.ts';

export type { RunRow };
export type Counts = z.output<typeof RunCounts>;

/** A run with the connector of its config. */
export type RunOfConfig = RunRow & { config: Pick<ConfigRow, 'connectorKey' | 'authorizedBy'> };
export const withConfig = { config: { select: { connectorKey: true, authorizedBy: true } } } as const;

export const unfinished = ['queued', 'running', 'waiting'];
export const noCounts: Counts = { created: 0, updated: 0, deleted: 0, sent: 0, unchanged: 0, skipped: 0, failed: 0 };

const columns = ConnectorRun.pick({ trigger: true, status: true, counts: true });

/** Converts a row to the contract's `ConnectorRun`. */
export function asRun({ config, ...row }: RunOfConfig): z.output<typeof ConnectorRun> {
  const parsed = columns.parse(row);
  return {
    ...row,
    ...parsed,
    connectorKey: config.connectorKey as ConnectorKey,
    allowedTransitions: connectorRunStates.next(parsed.status),
  };
}

/** The data of the events of a run. */
export function aboutRun({ id, configId, config }: RunOfConfig) {
  return { configId, runId: id, connectorKey: config.connectorKey as ConnectorKey };
}

/** Finds a run of a config that the caller may access. */
export async function findRun(tx: Tx, configId: number, id: number): Promise<RunOfConfig> {
  const row = await tx.connectorRun.findFirst({ where: { id, configId }, include: withConfig });
  if (!row) throw fail('not_found');
  return row;
}

/** Locks the config and then a run of it, so that checks on both still hold when they are written. */
export async function lockRun(tx: Tx, configId: number, id: number): Promise<{ config: ConfigRow; run: RunOfConfig }> {
  const config = await tx.connectorConfig.lockFirst({ where: { id: configId } });
  const run = config && (await tx.connectorRun.lockFirst({ where: { id, configId } }));
  if (!run) throw fail('not_found');
  return { config: config as ConfigRow, run: { ...(run as RunRow), config } as RunOfConfig };
}

/** The sync of a config that has not ended. The caller holds the lock of the config. */
export function findSyncing(tx: Tx, configId: number): Promise<RunOfConfig | null> {
  const where = { configId, trigger: { in: ['manual', 'schedule'] }, status: { in: unfinished } };
  return tx.connectorRun.findFirst({ where, include: withConfig });
}

type Change = Partial<Omit<Parameters<Tx['connectorRun']['updateManyAndReturn']>[0]['data'], 'counts'>> & {
  counts?: Counts;
};

/** Writes a change of a run. */
export async function writeRun(
  tx: Tx,
  { id, config }: Pick<RunOfConfig, 'id' | 'config'>,
  { counts, ...change }: Change,
): Promise<RunOfConfig> {
  const [row] = await tx.connectorRun.updateManyAndReturn({
    where: { id },
    data: { ...change, ...(counts && { counts: toJsonColumn(counts) }), updatedAt: new Date() },
  });
  if (!row) throw fail('not_found');
  return { ...row, config };
}

type Inside = { tx: Tx; emit: Emit<typeof runFailed | typeof syncCompleted> };

/** Ends a run as failed. The caller holds the lock of the config. */
export async function failRun({ tx, emit }: Inside, run: RunOfConfig, reason: string): Promise<void> {
  const now = new Date();
  const row = await writeRun(tx, run, {
    status: 'failed',
    counts: run.counts as Counts,
    attempts: run.attempts + 1,
    error: reason,
    nextAttemptAt: null,
    startedAt: run.startedAt ?? now,
    completedAt: now,
  });
  observeRun(row, 'failed');
  const failures = await storeResult(tx, run.configId, reason, { isSync: isSync(run) });
  // A config can act on this event, so a failed action does not cause it: it would go on without end.
  if (run.eventId !== null) return;
  const { trigger } = columns.parse(row);
  const data = { ...aboutRun(row), trigger, reason, failures, authorizedBy: run.config.authorizedBy };
  emit(runFailed, { data, record: asRun(row) });
}

/** Ends a run as succeeded. A scheduled sync without effects emits no event. The caller holds the lock of the config. */
export async function succeedRun({ tx, emit }: Inside, run: RunOfConfig, counts: Counts): Promise<void> {
  const row = await writeRun(tx, run, {
    status: 'succeeded',
    counts,
    error: null,
    nextAttemptAt: null,
    completedAt: new Date(),
  });
  observeRun(row, 'succeeded');
  await storeResult(tx, run.configId, null, { isSync: isSync(run) });
  const { unchanged: _, ...effects } = counts;
  const hasEffects = Object.values(effects).some((count) => count > 0);
  if (run.trigger === 'manual' || (run.trigger === 'schedule' && hasEffects))
    emit(syncCompleted, { data: { ...aboutRun(row), counts }, record: asRun(row) });
}

function isSync({ trigger }: RunOfConfig): boolean {
  return trigger !== 'event';
}

/**
 * Stores in the config how its last attempt ended: with an error, or null.
 * @param options.isSync whether the attempt ends a sync
 * @returns how many syncs in a row have failed
 */
export async function storeResult(
  tx: Tx,
  configId: number,
  error: string | null,
  { isSync = false }: { isSync?: boolean } = {},
): Promise<number> {
  const now = new Date();
  const [row] = await tx.connectorConfig.updateManyAndReturn({
    where: { id: configId },
    data:
      error === null
        ? { lastSuccessAt: now, lastError: null, ...(isSync && { failures: 0 }) }
        : { lastFailureAt: now, lastError: error, ...(isSync && { failures: { increment: 1 } }) },
  });
  return row?.failures ?? 0;
}

/**
 * Cancels what configs have not finished when they become inactive. The statement also covers runs of configs that the
 * caller does not see.
 */
export async function cancelRuns(tx: Tx, configIds: readonly number[]): Promise<void> {
  await tx.sql`UPDATE connector_run SET status = 'cancelled', round = round + 1, next_attempt_at = NULL,
      completed_at = now(), updated_at = now()
    WHERE config_id = ANY(${configIds}::bigint[]) AND status IN ('queued', 'running', 'waiting')`;
}
