import { abTestLooks } from '@tandem/campaign-contract';
import { id } from '@tandem/contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { asAbTest } from './ab-test.ts';
import { completeTest } from './end-test.ts';
import { readResults } from './results.ts';

/** The job that chooses the winner of a test with `autoPromote`: at its end, or as soon as the leader is significant. */
export const examineAbTestJob = { name: 'examine-ab-test', payload: z.object({ abTestId: id('ab_test') }) };

type Payload = z.output<typeof examineAbTestJob.payload>;

/** When a test is examined next: `abTestLooks` times in all, because every look can be misled by chance. */
export function nextLook({ startedAt, endsAt }: { startedAt: Date; endsAt: Date }, now: Date): Date {
  const intervalMs = (endsAt.getTime() - startedAt.getTime()) / abTestLooks;
  // The clocks of database and process differ by a little, so the job can run before its time.
  const passed = Math.round((now.getTime() - startedAt.getTime()) / intervalMs);
  return new Date(startedAt.getTime() + Math.min(passed + 1, abTestLooks) * intervalMs);
}

/** A test that was stopped, completed or deleted meanwhile is left as it is. */
export const examineAbTest = job({
  ...examineAbTestJob,
  async run({ payload, finish }: JobContext<Payload, Tx>) {
    await finish(async ({ tx, emit, schedule }) => {
      const row = await tx.abTest.lockFirst({ where: { id: payload.abTestId } });
      if (row?.status !== 'running' || row.startedAt === null || row.endsAt === null) return;
      const test = asAbTest(row);
      const now = new Date();
      const { leader, canPromote } = await readResults(tx, test, now);
      const { startedAt, endsAt } = row;
      if (!canPromote && now < endsAt) return nextLook({ startedAt, endsAt }, now);
      // Before anybody got a variant none leads; the first one is as good as the others.
      const winnerKey = leader ?? (test.variants[0]?.key as string);
      await completeTest({ tx, emit, schedule }, row, { winnerKey, decidedBy: 'automatic', inconclusive: !canPromote });
    });
  },
});
