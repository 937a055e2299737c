import { actingUserId } from '@tandem/caller';
import { type connectorRuns, syncRequested } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import { connectorOf } from '../../connectors/index.ts';
import type { Handler, Tx } from '../../handler.ts';
import { lockConfig } from '../connector-configs/connector-config.ts';
import { aboutRun, asRun, findSyncing } from './run.ts';
import { canSync, createSyncRun, wakeRun } from './start-sync.ts';

export const syncConnectorConfig: Handler<typeof connectorRuns.syncConnectorConfig> = async ({
  params,
  body,
  caller,
  tx,
  emit,
  schedule,
}) => {
  const config = await lockConfig(tx, params.id);
  if (!canSync(config)) throw fail('nothing_to_sync');
  if (!config.active) throw fail('config_inactive');
  if (await isLost(tx, config.connectionId)) throw fail('connection_lost');
  const current = await findSyncing(tx, config.id);
  // A sync that waits for the connected system is tried at once.
  if (current && (current.status !== 'waiting' || body.full)) throw fail('run_in_progress');
  const createdBy = actingUserId(caller) ?? null;
  const run = current
    ? await wakeRun({ tx, schedule }, current)
    : await createSyncRun({ tx, schedule }, config, { trigger: 'manual', full: body.full, createdBy });
  emit(syncRequested, { data: aboutRun(run), record: asRun(run) });
  return asRun(run);
};

/** Whether somebody has to authorize the connection before a sync can succeed. Keys that were rejected are tried again. */
async function isLost(tx: Tx, id: number): Promise<boolean> {
  // The connection may belong to somebody else.
  const [row] = await tx.sql<{ status: string; connectorKey: string }>`
    SELECT status, connector_key AS "connectorKey" FROM connection WHERE id = ${id}`;
  if (!row || row.status === 'connected') return false;
  return connectorOf(row.connectorKey).provider !== null;
}
