import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { advanceExecutionsJob } from './enroll.ts';

/** The job that continues executions which fell due while their workflow, or the campaign of it, was paused. */
export const unparkExecutionsJob = { name: 'unpark-executions', payload: z.object({ workflowId: z.int() }) };

const portion = 1_000;

export const unparkExecutions = job({
  ...unparkExecutionsJob,
  async run({ payload: { workflowId }, finish }: JobContext<z.output<typeof unparkExecutionsJob.payload>, Tx>) {
    await finish(async ({ tx, schedule }) => {
      const rows = await tx.sql<{ id: number; wake: number }>`UPDATE execution SET parked = false, wake = wake + 1
        WHERE id IN (SELECT id FROM execution WHERE workflow_id = ${workflowId} AND parked ORDER BY id LIMIT ${portion}
          FOR UPDATE)
        RETURNING id, wake`;
      await schedule(
        advanceExecutionsJob,
        rows.map(({ id, wake }) => ({ executionId: id, wake })),
      );
      return rows.length === portion ? new Date() : undefined;
    });
  },
});
