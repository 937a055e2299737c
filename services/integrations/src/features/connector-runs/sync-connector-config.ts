import { actingUserId } from '@tandem/caller';
import { type connectorRuns, syncRequested } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
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
