import { id } from '@tandem/contract';
import { type JobContext, job, type Schedule } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';

/** The job that ends the open attempts at a deleted lesson. */
const endAttemptsJob = { name: 'end-attempts', payload: z.object({ lessonId: id('lesson') }) };

const attemptsMax = 1_000;
// Longer than a request takes.
const lateMs = 30_000;

/** Schedules the end of the attempts, and another one for attempts whose request found the lesson shortly before. */
export async function scheduleEnd(schedule: Schedule, lessonId: number): Promise<void> {
  await schedule(endAttemptsJob, [{ lessonId }]);
  await schedule(endAttemptsJob, [{ lessonId }], new Date(Date.now() + lateMs));
}

/** Ends attempts portion by portion, without a grade: there is nothing to pass any more. Hand-ins still get their grade. */
export const endAttempts = job({
  ...endAttemptsJob,
  rests: true,
  async run({ payload: { lessonId }, finish }: JobContext<z.output<typeof endAttemptsJob.payload>, Tx>) {
    await finish(async ({ tx }) => {
      const ended = await tx.sql`
        WITH open AS (
          SELECT id FROM attempt WHERE lesson_id = ${lessonId} AND status = 'in_progress'
          ORDER BY id LIMIT ${attemptsMax}::int FOR UPDATE)
        UPDATE attempt SET status = 'ended', version = version + 1, updated_at = now() FROM open
        WHERE attempt.id = open.id RETURNING attempt.id`;
      return ended.length === attemptsMax ? new Date() : undefined;
    });
  },
});
