import { type connectorRuns, runRetried } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { actOnEventJob } from '../connector-configs/act-on-event.ts';
import { pushEventJob } from '../sync/push-event.ts';
import { aboutRun, asRun, findSyncing, lockRun, writeRun } from './run.ts';
import { runSyncJob } from './start-sync.ts';

export const retryConnectorRun: Handler<typeof connectorRuns.retryConnectorRun> = async ({
  params,
  tx,
  emit,
  schedule,
}) => {
  const { config, run } = await lockRun(tx, params.id, params.runId);
  if (!['failed', 'waiting'].includes(run.status)) throw fail('run_not_failed');
  if (!config.active) throw fail('config_inactive');
  const fresh = { attempts: 0, error: null, completedAt: null, nextAttemptAt: null };
  const change = { status: 'queued', ...fresh, round: { increment: 1 } };
  if (run.trigger !== 'event') {
    if (run.status === 'failed' && (await findSyncing(tx, config.id))) throw fail('run_in_progress');
    const row = await writeRun(tx, run, change);
    await schedule(runSyncJob, [{ runId: row.id, round: row.round }]);
    return emitted(row);
  }
  const { eventId, calendarEventId } = run;
  if (eventId !== null && !(await tx.event.count({ where: { id: eventId } }))) throw fail('event_gone');
  const row = await writeRun(tx, run, change);
  const job = { runId: row.id, round: row.round };
  if (eventId !== null) await schedule(actOnEventJob, [{ ...job, configId: config.id, eventId }]);
  if (calendarEventId !== null) await schedule(pushEventJob, [{ ...job, calendarEventId }]);
  return emitted(row);

  function emitted(row: typeof run) {
    emit(runRetried, { data: aboutRun(row), record: asRun(row) });
    return asRun(row);
  }
};
