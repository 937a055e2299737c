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

// Seldom, because every look at a running test can be misled by chance.
const lookMs = 15 * 60_000;

/** When a running test is examined next. */
export function nextLook(now: Date, endsAt: Date): Date {
  return new Date(Math.min(now.getTime() + lookMs, endsAt.getTime()));
}

/** A test that was stopped, completed or deleted meanwhile is left as it is. */
export const examineAbTest = job({
  ...examineAbTestJob,
  async run({ payload, finish }: JobContext<Payload, Tx>) {
    await finish(async ({ tx, emit, schedule }) => {
      const row = await tx.abTest.lockFirst({ where: { id: payload.abTestId } });
      if (row?.status !== 'running' || row.endsAt === null) return;
      const test = asAbTest(row);
      const { leader, canPromote } = await readResults(tx, test);
      const now = new Date();
      if (!canPromote && now < row.endsAt) return nextLook(now, row.endsAt);
      // Before anybody got a variant none leads; the first one is as good as the others.
      const winnerKey = leader ?? (test.variants[0]?.key as string);
      await completeTest({ tx, emit, schedule }, row, { winnerKey, decidedBy: 'automatic', inconclusive: !canPromote });
    });
  },
});
