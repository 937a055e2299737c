import type { executions } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { advanceExecutionsJob } from '../engine/enroll.ts';
import { asExecution, checkTransition, lockExecution } from './execution.ts';

export const retryExecution: Handler<typeof executions.retryExecution> = async ({ params, tx, schedule }) => {
  const row = await lockExecution(tx, { id: params.id });
  checkTransition(asExecution(row), 'running');
  const { workflowId, leadId, nodeId } = row;
  const live = await tx.execution.findFirst({
    where: { workflowId, leadId, status: { in: ['running', 'waiting'] } },
    select: { id: true },
  });
  if (live) throw fail('already_in');
  // Its content could not be rendered, so it was not sent.
  await tx.message.updateMany({
    where: { executionId: row.id, nodeId, status: 'failed' },
    data: { status: 'queued', error: null },
  });
  const [written] = await tx.execution.updateManyAndReturn({
    where: { id: row.id },
    data: {
      status: 'running',
      error: null,
      endReason: null,
      endedAt: null,
      attempts: 0,
      dueAt: new Date(),
      wake: { increment: 1 },
    },
  });
  if (!written) throw fail('not_found');
  await schedule(advanceExecutionsJob, [{ executionId: written.id, wake: written.wake }]);
  return asExecution(written);
};
