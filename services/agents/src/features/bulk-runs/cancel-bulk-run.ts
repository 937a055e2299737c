import { bulkRunCancelled, type bulkRuns } from '@tandem/agents-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { cancelExecutions } from '../executions/cancel-executions.ts';
import { liveStatuses, lockExecutions } from '../executions/execution.ts';
import { asBulkRuns, type BulkRunRecord, findRun } from './bulk-run.ts';

export const cancelBulkRun: Handler<typeof bulkRuns.cancelBulkRun> = async ({ params, body, ...context }) => {
  const { tx, caller, emit } = context;
  const { id, agentId } = await findRun(tx, caller, params.id);
  const where = { bulkRunId: id, status: { in: liveStatuses } };
  const live = await tx.execution.findMany({ where, select: { id: true } });
  // The run after its executions, in the order in which the end of an execution locks them.
  const ids = await lockExecutions(
    tx,
    live.map((execution) => execution.id),
    liveStatuses,
  );
  if (!ids.length) throw fail('run_is_over');
  await tx.bulkRun.updateMany({ where: { id }, data: { cancelledAt: new Date() } });
  await cancelExecutions(context, ids, body.reason ?? null);
  const [record] = (await asBulkRuns(tx, [await findRun(tx, caller, id)])) as [BulkRunRecord];
  emit(bulkRunCancelled, { data: { bulkRunId: id, agentId }, record });
  return record;
};
