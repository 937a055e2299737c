import type { Caller } from '@tandem/caller';
import { fail, failField } from '@tandem/service';
import { type CourseStatistics, type LearnerType, LessonType, type statistics } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { round } from '../progress/standing.ts';
import { isTeacher } from '../progress/teacher.ts';
import { type Counters, counterOf, medianDays, questionStatistics } from './counters.ts';
import { dayOf, partsOf } from './spans.ts';

export const getCourseStatistics: Handler<typeof statistics.getCourseStatistics> = ({ params, query, caller, tx }) =>
  readCourseStatistics({ tx, caller }, params.id, query);

/** The learners whose enrolments are counted. */
export interface LearnerSelection {
  from?: Date | undefined;
  to?: Date | undefined;
  learnerType?: z.output<typeof LearnerType> | undefined;
}

/** @throws 404 for a course that does not exist or is deleted, 422 for a period that ends before it begins */
export async function readCourseStatistics(
  { tx, caller }: { tx: Tx; caller: Caller },
  id: number,
  query: LearnerSelection,
): Promise<z.output<typeof CourseStatistics>> {
  const from = query.from ? dayOf(query.from) : null;
  const to = query.to ? dayOf(query.to) : null;
  if (from && to && to < from) throw failField('to', 'Must not be a day before from');
  const course = await tx.course.findFirst({ where: { id, deletedAt: null }, select: { id: true } });
  if (!course) throw fail('not_found');
  const selection = { courseId: course.id, from, to, learnerType: query.learnerType ?? null };
  const counters = await readCounters(tx, selection);
  const lessons = await tx.lesson.findMany({
    where: { courseId: course.id, deletedAt: null },
    select: { id: true, title: true, type: true },
    orderBy: { order: 'asc' },
  });
  const whole = counterOf(counters, 0);
  const enrolled = whole('enrolled');
  return {
    courseId: course.id,
    enrolled,
    started: whole('started'),
    completed: whole('completed'),
    withdrawn: whole('withdrawn'),
    expired: whole('expired'),
    overdue: await countOverdue(tx, selection),
    averagePercent: ratio(whole('percent'), enrolled),
    medianDays: medianDays(counters.get(0)),
    averageScore: ratio(whole('score'), whole('scored')),
    lessons: lessons.map(({ id: lessonId, title, type }) => {
      const of = counterOf(counters, lessonId);
      const [started, completed, attempts] = [of('started'), of('completed'), of('attempts')];
      return {
        lessonId,
        title,
        type: LessonType.parse(type),
        started,
        completed,
        dropOffRate: ratio((started - completed) * 100, started),
        attempts,
        failRate: ratio(of('failed') * 100, attempts),
        averageSeconds: ratio(of('seconds'), completed),
        questions: questionStatistics(counters.get(lessonId), { seesOptions: isTeacher(caller) }),
      };
    }),
  };
}

interface Selection {
  courseId: number;
  from: string | null;
  to: string | null;
  learnerType: string | null;
}

/**
 * The sums of a period, with the deltas that are not added to them yet and the days that earlier releases added up. One
 * statement reads them, so none counts twice.
 */
async function readCounters(tx: Tx, { courseId, from, to, learnerType }: Selection): Promise<Counters> {
  // A condition for each part, because a join with the parts reads all sums of the course.
  const [one, two, three] = partsOf({ from, to });
  const rows = await tx.sql<{ lessonId: number; metric: string; value: number }>`
    SELECT lesson_id AS "lessonId", metric, sum(value) AS value FROM (
      SELECT lesson_id, metric, ${one.sign}::int * value AS value, learner_type FROM statistic_sum
      WHERE course_id = ${courseId} AND span = ${one.span} AND starts_on BETWEEN ${one.first}::date AND ${one.last}::date
      UNION ALL
      SELECT lesson_id, metric, ${two.sign}::int * value AS value, learner_type FROM statistic_sum
      WHERE course_id = ${courseId} AND span = ${two.span} AND starts_on BETWEEN ${two.first}::date AND ${two.last}::date
      UNION ALL
      SELECT lesson_id, metric, ${three.sign}::int * value AS value, learner_type FROM statistic_sum
      WHERE course_id = ${courseId} AND span = ${three.span} AND starts_on BETWEEN ${three.first}::date AND ${three.last}::date
      UNION ALL
      SELECT lesson_id, metric, value, learner_type FROM (
        SELECT lesson_id, metric, value, learner_type, day FROM statistic_delta WHERE course_id = ${courseId}
        UNION ALL
        SELECT lesson_id, metric, value, learner_type, day FROM statistic_rollup WHERE course_id = ${courseId}) AS single
      WHERE (${from}::date IS NULL OR day >= ${from}::date) AND (${to}::date IS NULL OR day <= ${to}::date)) AS counted
    WHERE ${learnerType}::text IS NULL OR learner_type = ${learnerType}
    GROUP BY lesson_id, metric HAVING sum(value) <> 0`;
  const counters: Counters = new Map();
  for (const { lessonId, metric, value } of rows) {
    const ofLesson = counters.get(lessonId) ?? new Map<string, number>();
    counters.set(lessonId, ofLesson.set(metric, value));
  }
  return counters;
}

async function countOverdue(tx: Tx, { courseId, from, to, learnerType }: Selection): Promise<number> {
  const [found] = await tx.sql<{ count: number }>`
    SELECT count(*)::int AS count FROM enrollment
    WHERE course_id = ${courseId} AND status IN ('enrolled', 'in_progress') AND due_at IS NOT NULL AND due_at < now()
      AND (${from}::date IS NULL OR enrolled_at >= ${from}::date)
      AND (${to}::date IS NULL OR enrolled_at < ${to}::date + 1)
      AND (${learnerType}::text IS NULL OR learner_type = ${learnerType})`;
  return found?.count ?? 0;
}

function ratio(sum: number, count: number): number | null {
  return count > 0 ? round(sum / count) : null;
}
