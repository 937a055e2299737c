import type { Client } from 'pg';
import { fillTables } from './fill-tables.ts';

/** Enrolments of the tenant; each has progress in the 50 lessons of its course. */
export const enrollmentCount = Number(process.env['BENCH_ENROLLMENTS'] ?? 100_000);
export const lessonCount = 50;

// Above the ids of enrolments that are created during the benchmark.
const firstId = 10_000_000;
/** The share of the enrolments that the first course has; the others have the rest. */
const largest = 0.5;
/** The days over which learners were enrolled. */
const days = 365;

/**
 * Fills the database of training: enrolments of users, partners and leads, with progress and the daily statistics that
 * they would have left.
 * @param tenant.courses numbers of published courses with `lessonCount` lessons each; the first one gets half of the enrolments
 */
export async function fillTraining(
  url: string,
  tenant: { id: number; courses: number[]; firstUser: number },
  log: (line: string) => void,
): Promise<void> {
  const fill = async (client: Client) => {
    log(`filling training: ${enrollmentCount} enrolments, ${enrollmentCount * lessonCount} records of progress`);
    await client.query(enrollments(tenant));
    await client.query(progress);
    await client.query(sumsOf(tenant.courses[0] as number));
  };
  await fillTables(url, ['enrollment', 'lesson_progress', 'statistic_sum'], fill, {
    log,
    also: ['lesson', 'course', 'question'],
  });
}

// Columns have different salts, so that their values are not correlated.
const spread = (salt: number, modulus: number) => `((hashint8extended(n, ${salt}) & 1073741823) % ${modulus})`;

function enrollments({ id, courses, firstUser }: { id: number; courses: number[]; firstUser: number }): string {
  const [first, ...rest] = courses;
  const type = `(ARRAY['user','lead','partner'])[1 + ${spread(31, 3)}]`;
  const status = `CASE WHEN n % 10 < 4 THEN 'completed' WHEN n % 10 < 8 THEN 'in_progress' WHEN n % 100 = 99 THEN 'withdrawn' ELSE 'enrolled' END`;
  const other = `(ARRAY[${rest.join(',')}])[1 + ${spread(37, rest.length)}]`;
  return `
    INSERT INTO enrollment (tenant_id, environment, id, course_id, learner_type, learner_id, user_id, status, source, percent, score,
      seconds_spent, enrolled_at, started_at, completed_at, due_at, created_at, updated_at)
    SELECT ${id}, 'live', ${firstId} + n, CASE WHEN n % 100 < ${largest * 100} THEN ${first} ELSE ${other} END, ${type},
      ${firstUser} + n, CASE WHEN ${type} = 'user' THEN ${firstUser} + n END, ${status}, 'manual',
      CASE WHEN ${status} = 'completed' THEN 100 ELSE ${spread(41, 50)} * 2 END,
      CASE WHEN ${status} = 'completed' THEN 50 + ${spread(43, 50)} END, ${spread(47, 20_000)}, at, at,
      CASE WHEN ${status} = 'completed' THEN at + ${spread(53, 30)} * interval '1 day' END,
      CASE WHEN n % 3 = 0 THEN at + ${spread(59, 600)} * interval '1 day' END, at, at
    FROM generate_series(1, ${enrollmentCount}) n,
      LATERAL (SELECT now() - (${enrollmentCount} - n) * interval '${days} days' / ${enrollmentCount} AS at) AS enrolled`;
}

const progress = `
  INSERT INTO lesson_progress (tenant_id, environment, enrollment_id, lesson_id, status, percent, position, seconds_spent, score,
    attempts, started_at, reported_at, completed_at)
  SELECT enrolled.tenant_id, enrolled.environment, enrolled.id, lesson.id, CASE WHEN done THEN 'completed' ELSE 'in_progress' END,
    CASE WHEN done THEN 100 ELSE 40 END, 30, 240, CASE WHEN type = 'quiz' THEN 70 END, CASE WHEN type = 'quiz' THEN 1 ELSE 0 END,
    enrolled_at, enrolled_at, CASE WHEN done THEN enrolled_at END
  FROM enrollment AS enrolled JOIN lesson USING (tenant_id, environment, course_id),
    LATERAL (SELECT enrolled.status = 'completed' OR lesson."order" * 2 < enrolled.percent AS done) AS standing
  WHERE enrolled.id > ${firstId} AND lesson.deleted_at IS NULL`;

/** As the deltas of the enrolments of a course would have been added up: by span, lesson, type of learner and metric. */
const sumsOf = (courseId: number) => `
  INSERT INTO statistic_sum (tenant_id, environment, course_id, lesson_id, learner_type, span, starts_on, metric, value)
  SELECT tenant_id, environment, course_id, lesson_id, learner_type, span, starts_on, metric, sum(greatest(1, floor(count * factor))) FROM (
    SELECT tenant_id, environment, course_id, learner_type, (enrolled_at AT TIME ZONE 'UTC')::date AS day, count(*) AS count
    FROM enrollment WHERE id > ${firstId} AND course_id = ${courseId} GROUP BY 1, 2, 3, 4, 5) AS by_day,
  LATERAL (
    SELECT 0 AS lesson_id, metric, 1.0 AS factor FROM unnest(ARRAY['enrolled', 'started', 'completed', 'percent', 'score', 'scored']) AS metric
    UNION ALL SELECT 0, 'days:' || n, 0.03 FROM generate_series(0, 29) n
    UNION ALL SELECT lesson.id, metric, 0.9 FROM lesson, unnest(ARRAY['started', 'completed', 'seconds']) AS metric
      WHERE lesson.course_id = by_day.course_id AND lesson.tenant_id = by_day.tenant_id
    UNION ALL SELECT lesson.id, metric, 0.5 FROM lesson, unnest(ARRAY['attempts', 'failed']) AS metric
      WHERE lesson.course_id = by_day.course_id AND lesson.tenant_id = by_day.tenant_id AND lesson.type = 'quiz'
    UNION ALL SELECT lesson.id, metric || question.id || suffix, 0.5 FROM lesson JOIN question ON question.lesson_id = lesson.id,
      (VALUES ('answered:', ''), ('correct:', ''), ('option:', ':a'), ('option:', ':b'), ('option:', ':c')) AS of (metric, suffix)
      WHERE lesson.course_id = by_day.course_id AND lesson.tenant_id = by_day.tenant_id AND question.tenant_id = lesson.tenant_id) AS counted,
  LATERAL (VALUES ('day', day), ('month', date_trunc('month', day)::date), ('all', '0001-01-01'::date)) AS spans (span, starts_on)
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`;
