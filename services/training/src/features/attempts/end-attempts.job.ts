import { id } from '@tandem/contract';
import { type JobContext, job, type Schedule } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';

/** The job that ends the open attempts at a deleted lesson, or at one that has another type now. */
const endAttemptsJob = {
  name: 'end-attempts',
  payload: z.object({ lessonId: id('lesson'), type: z.string().optional() }),
};

const attemptsMax = 1_000;
// Longer than a request takes.
const lateMs = 30_000;

/**
 * Schedules the end of the attempts, and another one for attempts whose request found the lesson shortly before.
 * @param lesson.type the new type of the lesson, whose attempts stay; undefined for a deleted lesson
 */
export async function scheduleEnd(schedule: Schedule, lesson: { lessonId: number; type?: string }): Promise<void> {
  await schedule(endAttemptsJob, [lesson]);
  await schedule(endAttemptsJob, [lesson], new Date(Date.now() + lateMs));
}

/** Ends attempts portion by portion, without a grade: there is nothing to pass any more. Hand-ins still get their grade. */
export const endAttempts = job({
  ...endAttemptsJob,
  rests: true,
  async run({ payload: { lessonId, type }, finish }: JobContext<z.output<typeof endAttemptsJob.payload>, Tx>) {
    await finish(async ({ tx }) => {
      const ended = await tx.sql`
        WITH open AS (
          SELECT id FROM attempt WHERE lesson_id = ${lessonId} AND status = 'in_progress'
            AND (${type ?? null}::text IS NULL OR lesson_type IS DISTINCT FROM ${type ?? null})
          ORDER BY id LIMIT ${attemptsMax}::int FOR UPDATE)
        UPDATE attempt SET status = 'ended', version = version + 1, updated_at = now() FROM open
        WHERE attempt.id = open.id RETURNING attempt.id`;
      return ended.length === attemptsMax ? new Date() : undefined;
    });
  },
});
