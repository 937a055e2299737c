import { type connectorRuns, syncCancelled } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { observeRun } from './observe-runs.ts';
import { aboutRun, asRun, lockRun, unfinished, writeRun } from './run.ts';

export const cancelConnectorRun: Handler<typeof connectorRuns.cancelConnectorRun> = async ({ params, tx, emit }) => {
  const { run } = await lockRun(tx, params.id, params.runId);
  if (!unfinished.includes(run.status)) throw fail('run_ended');
  // Jobs of an earlier round end without effects.
  const change = { status: 'cancelled', nextAttemptAt: null, completedAt: new Date(), round: { increment: 1 } };
  const row = await writeRun(tx, run, change);
  observeRun(row, 'cancelled');
  emit(syncCancelled, { data: aboutRun(row), record: asRun(row) });
  return asRun(row);
};
