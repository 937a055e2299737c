import { actingUserId } from '@tandem/caller';
import { type connectorRuns, syncRequested } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import { connectorOf } from '../../connectors/index.ts';
import type { Handler } from '../../handler.ts';
import { lockConfig } from '../connector-configs/connector-config.ts';
import { aboutRun, asRun, isSyncing } from './run.ts';
import { createSyncRun } from './start-sync.ts';

export const syncConnectorConfig: Handler<typeof connectorRuns.syncConnectorConfig> = async ({
  params,
  body,
  caller,
  tx,
  emit,
  schedule,
}) => {
  const config = await lockConfig(tx, params.id);
  if (!connectorOf(config.connectorKey).sync) throw fail('acts_on_events');
  if (!config.active) throw fail('config_inactive');
  if (await isSyncing(tx, config.id)) throw fail('run_in_progress');
  const run = await createSyncRun({ tx, schedule }, config, {
    trigger: 'manual',
    full: body.full,
    createdBy: actingUserId(caller) ?? null,
  });
  emit(syncRequested, { data: aboutRun(run), record: asRun(run) });
  return asRun(run);
};
