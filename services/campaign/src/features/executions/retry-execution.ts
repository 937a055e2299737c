import type { executions } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { advanceExecutionsJob } from '../engine/enroll.ts';
import { asExecution, checkTransition, lockExecution } from './execution.ts';

export const retryExecution: Handler<typeof executions.retryExecution> = async ({ params, tx, schedule }) => {
  await checkOpen(tx, params.id);
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
      stepsPurged: false,
      attempts: 0,
      dueAt: new Date(),
      wake: { increment: 1 },
    },
  });
  if (!written) throw fail('not_found');
  await schedule(advanceExecutionsJob, [{ executionId: written.id, wake: written.wake }]);
  return asExecution(written);
};

/**
 * Locks the workflow and campaign of an execution, in the order of the engine, so that they do not end meanwhile.
 * @throws ApiError 409 when the workflow is archived, or the campaign is completed
 */
async function checkOpen(tx: Tx, id: number): Promise<void> {
  const execution = await tx.execution.findFirst({
    where: { id, workflow: { deletedAt: null } },
    select: { workflowId: true, campaignId: true },
  });
  if (!execution) throw fail('not_found');
  const { workflowId, campaignId } = execution;
  const [workflow] = await tx.sql<{ status: string }>`SELECT status FROM workflow WHERE id = ${workflowId} FOR SHARE`;
  if (workflow?.status === 'archived') throw fail('not_published');
  if (campaignId === null) return;
  const [campaign] = await tx.sql<{ status: string }>`SELECT status FROM campaign WHERE id = ${campaignId} FOR SHARE`;
  if (campaign?.status === 'completed') throw fail('campaign_not_running');
}
