import type { Schedule } from '@tandem/events';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { dayOf } from './spans.ts';

/**
 * A change of a counter. Metrics of a course: enrolled, started, completed, withdrawn, expired, percent, score, scored and
 * `days:<n>`, the completions after n days. Of a lesson: started, completed, seconds, attempts, failed, and of each question
 * `answered:<id>`, `correct:<id>` and `option:<id>:<key>`.
 */
export interface Delta {
  courseId: number;
  lessonId?: number;
  learnerType: string;
  /** Statistics select learners by the day of their enrolment. */
  enrolledAt: Date;
  metric: string;
  value: number;
}

/** The job that adds the deltas of a tenant to the sums. */
const foldStatisticsJob = { name: 'fold-statistics', payload: z.object({}) };

// A fold follows about each hundredth delta; reads add those that wait.
const foldEvery = 100;
const foldMax = 5_000;

/** Appends changes of counters. They are rows of their own, so that learners of one course do not wait for each other. */
export async function countDeltas(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  deltas: readonly Delta[],
): Promise<void> {
  const rows = deltas
    .filter(({ value }) => value !== 0)
    .map(({ courseId, lessonId = 0, learnerType, enrolledAt, metric, value }) => ({
      course: courseId,
      lesson: lessonId,
      type: learnerType,
      day: dayOf(enrolledAt),
      metric,
      value,
    }));
  if (!rows.length) return;
  const [stored] = await tx.sql<{ folds: boolean }>`
    WITH added AS (
      INSERT INTO statistic_delta (course_id, lesson_id, learner_type, day, metric, value)
      SELECT course, lesson, type, day, metric, sum(value) FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS given (course bigint, lesson bigint, type text, day date, metric text, value float)
      GROUP BY 1, 2, 3, 4, 5
      RETURNING id)
    SELECT coalesce(bool_or(id % ${foldEvery}::int = 0), false) AS folds FROM added`;
  if (stored?.folds) await schedule(foldStatisticsJob, [{}]);
}

/**
 * Adds deltas to the sums of their day, of its month and of all time, portion by portion. Two folds of a tenant add to the
 * same sums, so they lock them in one order.
 */
export const foldStatistics = job({
  ...foldStatisticsJob,
  rests: true,
  async run({ finish }: JobContext<object, Tx>) {
    await finish(async ({ tx }) => {
      const [folded] = await tx.sql<{ count: number }>`
        WITH due AS MATERIALIZED (
          SELECT tenant_id, environment, id FROM statistic_delta ORDER BY id LIMIT ${foldMax}::int FOR UPDATE SKIP LOCKED),
        taken AS (
          DELETE FROM statistic_delta AS delta USING due
          WHERE delta.tenant_id = due.tenant_id AND delta.environment = due.environment AND delta.id = due.id
          RETURNING delta.*),
        added AS (
          INSERT INTO statistic_sum AS total (course_id, span, starts_on, lesson_id, learner_type, metric, value)
          SELECT course_id, span, starts_on, lesson_id, learner_type, metric, sum(value) FROM taken,
            LATERAL (VALUES ('day', day), ('month', date_trunc('month', day)::date), ('all', '0001-01-01'::date)) AS spans (span, starts_on)
          GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
          ON CONFLICT (tenant_id, environment, course_id, span, starts_on, lesson_id, learner_type, metric)
          DO UPDATE SET value = total.value + excluded.value)
        SELECT count(*)::int AS count FROM taken`;
      return folded?.count === foldMax ? new Date() : undefined;
    });
  },
});
