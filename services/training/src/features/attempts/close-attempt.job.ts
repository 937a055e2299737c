import { job } from '@tandem/jobs';
import { findLearning } from '../progress/learning.ts';
import { type CloseAttempt, closeAttemptJob, isOfOtherType, isOver } from './attempt.ts';
import { closeAttempt } from './close-attempt.ts';

/** Grades an attempt whose time is over, unless it was submitted. */
export const closeAttemptAtEnd = job({
  ...closeAttemptJob,
  async run({ payload, finish }: CloseAttempt) {
    await finish(async (inside) => {
      const found = await inside.tx.attempt.findFirst({ where: { id: payload.attemptId } });
      if (!found) return;
      const learning = await findLearning(inside.tx, found.enrollmentId, found.lessonId);
      const attempt = await inside.tx.attempt.lockFirst({ where: { id: found.id } });
      if (attempt?.status !== 'in_progress' || !isOver(attempt)) return;
      if (learning && !isOfOtherType(attempt, learning)) await closeAttempt(inside, learning, attempt);
      // The lesson was deleted, or has another type: there is nothing to pass.
      else
        await inside.tx.attempt.updateManyAndReturn({
          where: { id: attempt.id },
          data: { status: 'graded', score: 0, passed: false, gradedAt: new Date(), version: { increment: 1 } },
        });
    });
  },
});
