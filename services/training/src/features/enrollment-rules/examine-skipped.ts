import { id } from '@tandem/contract';
import type { Schedule } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';

/** Reasons of a skip that a change of the course can remove; other ones depend on the learner. */
export const reasonsOfCourse = ['not_published', 'course_deleted', 'audience', 'prerequisites_open'];

/** The job that examines the learners whom a rule skipped because of its course, portion by portion. */
export const applyToSkippedJob = {
  name: 'apply-rule-to-skipped',
  payload: z.object({ ruleId: id('enrollment_rule'), after: z.int() }),
};

/** Schedules another examination of the learners whom rules skipped, after a change of their course. */
export async function examineSkipped(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  { id: courseId }: { id: number },
): Promise<void> {
  const where = { courseId, active: true, skippedCount: { gt: 0 } };
  const rules = await tx.enrollmentRule.findMany({ where, select: { id: true }, orderBy: { id: 'asc' } });
  if (rules.length)
    await schedule(
      applyToSkippedJob,
      rules.map((rule) => ({ ruleId: rule.id, after: 0 })),
    );
}
