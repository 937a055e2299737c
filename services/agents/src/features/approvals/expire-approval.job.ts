import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { liveStatuses, lockExecutions } from '../executions/execution.ts';
import { decide, expiryJob } from './approval.ts';

/** Expires an approval that was not decided in time. An expired approval never counts as granted. */
export const expireApproval = job({
  ...expiryJob,
  async run({ payload, finish }: JobContext<z.output<typeof expiryJob.payload>, Tx>) {
    await finish(async (transaction) => {
      const { tx } = transaction;
      const approval = await tx.approval.findFirst({ where: { id: payload.approvalId } });
      if (!approval) return;
      // The lock of every decision, so that one at the same time is seen.
      await lockExecutions(tx, [approval.executionId], liveStatuses);
      const pending = await tx.approval.count({ where: { id: payload.approvalId, status: 'pending' } });
      if (pending) await decide(transaction, payload.approvalId, { status: 'expired' });
    });
  },
  // Otherwise the execution would wait for ever.
  giveUp: scheduleAgain(expiryJob),
});
