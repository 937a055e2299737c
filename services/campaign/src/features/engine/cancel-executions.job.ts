import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { endQueuedMessages } from './end-queued.ts';

/** The job that cancels the executions of a workflow that is archived, or whose campaign is completed. */
export const cancelExecutionsJob = {
  name: 'cancel-executions',
  payload: z.object({
    workflowId: z.int(),
    reason: z.enum(['workflow_archived', 'campaign_completed']),
  }),
};

const portion = 1_000;

export const cancelExecutions = job({
  ...cancelExecutionsJob,
  async run({ payload: { workflowId, reason }, finish }: JobContext<z.output<typeof cancelExecutionsJob.payload>, Tx>) {
    await finish(async ({ tx }) => {
      const rows = await tx.sql<{ id: number }>`UPDATE execution SET status = 'cancelled', end_reason = ${reason},
          ended_at = now(), due_at = NULL, waits_for = NULL, parked = false, wake = wake + 1
        WHERE id IN (SELECT id FROM execution WHERE workflow_id = ${workflowId} AND status IN ('running', 'waiting')
          ORDER BY id LIMIT ${portion} FOR UPDATE)
        RETURNING id`;
      await endQueuedMessages(
        tx,
        rows.map(({ id }) => id),
      );
      return rows.length === portion ? new Date() : undefined;
    });
  },
});
