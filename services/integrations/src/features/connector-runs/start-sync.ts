import { id } from '@tandem/contract';
import type { Schedule } from '@tandem/jobs';
import { toJsonColumn } from '@tandem/service';
import { z } from 'zod';
import { connectorOf } from '../../connectors/index.ts';
import { type ConnectorConfig as ConfigRow, Prisma } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { noCounts, type RunOfConfig, writeRun } from './run.ts';

/** Job that performs a sync, page by page. */
export const runSyncJob = {
  name: 'run-sync',
  payload: z.object({ runId: id('connector_run'), round: z.int() }),
};

/** Job that starts the syncs of a config on its schedule. */
export const startSyncJob = {
  name: 'start-sync',
  payload: z.object({ configId: id('connector_config'), round: z.int() }),
};

interface Inside {
  tx: Tx;
  schedule: Schedule;
}

/** The state of a config whose next sync reads all records. */
export const fromBeginning = { cursor: Prisma.DbNull, readingSince: null, examinedTo: null };

/** Creates a sync that begins at once. The caller holds the lock of the config, and no sync of it is in progress. */
export async function createSyncRun(
  { tx, schedule }: Inside,
  { id: configId, connectorKey, authorizedBy }: Pick<ConfigRow, 'id' | 'connectorKey' | 'authorizedBy'>,
  options: { trigger: 'manual' | 'schedule'; full: boolean; createdBy: number | null },
): Promise<RunOfConfig> {
  if (options.full) await tx.connectorConfig.updateMany({ where: { id: configId }, data: fromBeginning });
  const run = await tx.connectorRun.create({ data: { configId, counts: toJsonColumn(noCounts), ...options } });
  await schedule(runSyncJob, [{ runId: run.id, round: run.round }]);
  return { ...run, config: { connectorKey, authorizedBy } };
}

/** Starts a sync that waits for its next attempt at once. */
export async function wakeRun({ tx, schedule }: Inside, waiting: RunOfConfig): Promise<RunOfConfig> {
  const change = { status: 'queued', nextAttemptAt: null, attempts: 0, round: { increment: 1 } };
  const run = await writeRun(tx, waiting, change);
  await schedule(runSyncJob, [{ runId: run.id, round: run.round }]);
  return run;
}

/** Whether a config reads records: one that only writes them has nothing to sync. */
export function canSync({ connectorKey, settings }: Pick<ConfigRow, 'connectorKey' | 'settings'>): boolean {
  const { sync } = connectorOf(connectorKey);
  return sync !== undefined && sync.kinds(settings as Record<string, unknown>).length > 0;
}

/** The minutes between the syncs of a config; null if it syncs only on request. */
export function minutesOf(config: Pick<ConfigRow, 'connectorKey' | 'settings'>): number | null {
  const { everyMinutes } = config.settings as { everyMinutes?: number | null };
  return canSync(config) ? (everyMinutes ?? null) : null;
}

/**
 * Plans the next sync of a config after a change of it: at once when it becomes active, or when its settings change. Jobs of
 * earlier plans end by their round.
 */
export async function planSyncs({ tx, schedule }: Inside, config: ConfigRow): Promise<ConfigRow> {
  if (!connectorOf(config.connectorKey).sync) return config;
  const nextSyncAt = config.active && minutesOf(config) !== null ? new Date() : null;
  const [row] = await tx.connectorConfig.updateManyAndReturn({
    where: { id: config.id },
    data: { nextSyncAt, syncRound: { increment: 1 } },
  });
  const planned = row as ConfigRow;
  if (nextSyncAt) await schedule(startSyncJob, [{ configId: planned.id, round: planned.syncRound }], nextSyncAt);
  return planned;
}
