import { id } from '@tandem/contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { advanceExecutionsJob } from '../engine/enroll.ts';

/** The job that continues executions which wait because of a test that has ended. */
export const wakeAbTestLeadsJob = {
  name: 'wake-ab-test-leads',
  // A number instead of an id: the first portion comes after execution 0.
  payload: z.object({ abTestId: id('ab_test'), after: z.int() }),
};

const portion = 2_000;

export const wakeAbTestLeads = job({
  ...wakeAbTestLeadsJob,
  rests: true,
  async run({ payload: { abTestId, after }, finish }: JobContext<z.output<typeof wakeAbTestLeadsJob.payload>, Tx>) {
    await finish(async ({ tx, schedule }) => {
      const test = await tx.abTest.findFirst({ where: { id: abTestId }, select: { workflowId: true, nodeId: true } });
      if (!test) return;
      const rows = await tx.sql<{ id: number; wake: number }>`
        UPDATE execution SET due_at = now(), parked = false, wake = wake + 1
        WHERE id IN (
          SELECT waiting.id FROM execution AS waiting
          JOIN execution_step AS step ON step.execution_id = waiting.id AND step.number = waiting.step
          WHERE waiting.workflow_id = ${test.workflowId} AND waiting.node_id = ${test.nodeId} AND waiting.id > ${after}
            AND waiting.status = 'waiting' AND step.result ->> 'reason' IN ('ab_test', 'send_time')
            -- Its message is being sent: another run would take that for one whose process ended.
            AND NOT EXISTS (SELECT FROM message WHERE message.execution_id = waiting.id AND message.status = 'sending')
          ORDER BY waiting.id LIMIT ${portion} FOR UPDATE OF waiting) AND status = 'waiting'
        RETURNING id, wake`;
      await schedule(
        advanceExecutionsJob,
        rows.map((row) => ({ executionId: row.id, wake: row.wake })),
      );
      if (rows.length === portion)
        await schedule(wakeAbTestLeadsJob, [{ abTestId, after: Math.max(...rows.map((row) => row.id)) }]);
    });
  },
});
