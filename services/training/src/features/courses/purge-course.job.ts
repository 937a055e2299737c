import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { removeOutcomesJob } from '../enrollment-rules/rule-jobs.ts';

/** The job that removes a deleted course; a course that was restored meanwhile has another version. */
export const purgeCourseJob = {
  name: 'purge-course',
  payload: z.object({ courseId: z.int(), version: z.int() }),
};

type Payload = z.output<typeof purgeCourseJob.payload>;

// Questions have up to 30 KB each.
const questionsMax = 5_000;

/**
 * Removes a deleted course with its lessons, portion by portion. A course with enrolments stays, because their progress and
 * certificates refer to it.
 */
export const purgeCourse = job({
  ...purgeCourseJob,
  rests: true,
  async run({ payload: { courseId, version }, finish }: JobContext<Payload, Tx>) {
    await finish(async ({ tx, schedule }) => {
      const course = await tx.course.lockFirst({ where: { id: courseId, version, deletedAt: { not: null } } });
      if (!course || (await tx.enrollment.count({ where: { courseId } }))) return undefined;
      const questions = await tx.sql`
        WITH due AS (
          SELECT question.id FROM question JOIN lesson ON lesson.id = lesson_id WHERE course_id = ${courseId}
          LIMIT ${questionsMax})
        DELETE FROM question USING due WHERE question.id = due.id RETURNING question.id`;
      if (questions.length === questionsMax) return new Date();
      await tx.lesson.deleteMany({ where: { courseId } });
      await tx.module.deleteMany({ where: { courseId } });
      await tx.coursePrerequisite.deleteMany({ where: { OR: [{ courseId }, { requiredCourseId: courseId }] } });
      const rules = await tx.enrollmentRule.findMany({ where: { courseId }, select: { id: true } });
      await tx.enrollmentRule.deleteMany({ where: { courseId } });
      await schedule(
        removeOutcomesJob,
        rules.map(({ id }) => ({ ruleId: id })),
      );
      await tx.course.deleteMany({ where: { id: courseId } });
      return undefined;
    });
  },
});
