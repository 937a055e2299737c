import type { Caller } from '@tandem/caller';
import { type JobContext, job } from '@tandem/jobs';
import { LearnerType, withdrawReasons } from '@tandem/training-contract';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { endLive } from '../enrollments/end-live.ts';
import { findLearners } from '../enrollments/learners.ts';
import { livePortion, lockLive } from './lock-live.ts';

/**
 * The job that withdraws a learner who left from all courses. `isLate` marks the second run, for enrolments whose request
 * found the learner shortly before.
 */
export const withdrawLearnerJob = {
  name: 'withdraw-learner',
  payload: z.object({
    learnerType: LearnerType,
    learnerId: z.int(),
    reason: z.enum(withdrawReasons),
    isLate: z.boolean(),
  }),
};
type Payload = z.output<typeof withdrawLearnerJob.payload>;

/** Longer than a request takes. */
export const lateMs = 30_000;

export const withdrawLearner = ({ peers }: Pick<Tools, 'peers'>) =>
  job({
    ...withdrawLearnerJob,
    rests: true,
    async run({ payload, scope, outside, finish }: JobContext<Payload, Tx>) {
      const { learnerType, learnerId, reason, isLate } = payload;
      const caller: Caller = { ...scope, type: 'system', permissions: [], requestId: `withdraw_${learnerId}` };
      const learner = { type: learnerType, id: learnerId };
      // A learner who came back may have been enrolled anew. A deactivated user still has a name.
      if (isLate && !(await outside(() => findLearners(peers, caller, [learner])))(learner).problem) return;
      await finish(async (inside) => {
        const live = await lockLive(inside.tx, { learnerType, learnerId });
        for (const row of live) await endLive(inside, row, 'withdrawn', reason);
        return live.length === livePortion ? new Date() : undefined;
      });
    },
  });
