import { id } from '@tandem/contract';
import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { approve } from './approve-commission.ts';

/** Approves a commission at the end of its hold period, for plans with `autoApprove`. */
export const approveDueJob = { name: 'approve-due-commission', payload: z.object({ commissionId: id('commission') }) };

export const approveDue = job({
  ...approveDueJob,
  async run({ payload: { commissionId }, finish }: JobContext<z.output<typeof approveDueJob.payload>, Tx>) {
    await finish(async ({ tx, emit }) => {
      const commission = await tx.commission.lockFirst({ where: { id: commissionId } });
      // A person may have decided meanwhile.
      if (commission?.status !== 'pending') return;
      if (commission.holdUntil && commission.holdUntil > new Date()) return commission.holdUntil;
      await approve({ tx, emit }, commission, {});
    });
  },
  /** Without another one, the commission would wait for a person. */
  giveUp: scheduleAgain(approveDueJob),
});
