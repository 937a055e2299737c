import { unknownId } from '@tandem/contract';
import { type ApiError, fail, failField } from '@tandem/service';
import { enrollmentCreated, type enrollmentSources } from '@tandem/training-contract';
import type { Course as CourseRow, Enrollment as EnrollmentRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { countDeltas } from '../statistics/deltas.ts';
import { type Dates, scheduleDates } from './dates.ts';
import { asEnrollment, dataOf, type EnrollmentRecord, type Inside } from './enrollment.ts';
import type { Learner } from './learners.ts';
import { openPrerequisites } from './open-prerequisites.ts';

/** An enrolment, or why there is none. */
export type Enrolled = { enrollment: EnrollmentRecord } | { error: ApiError };

interface Terms extends Dates {
  source: (typeof enrollmentSources)[number];
  createdBy: number | null;
  /** The rule that enrols the learners. */
  ruleId?: number;
}

/**
 * Reads and locks a course for enrolments: this serializes enrolments of the same learner, and enrolments with archiving.
 * @throws 409 unless the course is published
 */
export async function lockOpenCourse(tx: Tx, id: number): Promise<CourseRow> {
  const course = await tx.course.lockFirst({ where: { id, deletedAt: null }, sharesKey: true });
  if (!course) throw failField('courseId', unknownId('course'));
  if (course.status !== 'published')
    throw fail('not_published', [{ field: 'courseId', message: `The course is ${course.status}; publish it first` }]);
  return course;
}

/** Enrols learners in a locked course, with one result each; what one learner lacks does not stop the others. */
export async function enroll(
  inside: Inside,
  course: CourseRow,
  learners: readonly Learner[],
  terms: Terms,
): Promise<Enrolled[]> {
  const { tx, emit, schedule } = inside;
  const open = await openPrerequisites(tx, course.id, learners);
  const problems = learners.map((one, index) => audienceError(course, one) ?? open[index]);
  const rows = await insert(
    tx,
    course,
    learners.filter((_, index) => !problems[index]),
    terms,
  );
  const byLearner = new Map(rows.map((row) => [keyOf({ type: row.learnerType, id: row.learnerId }), row]));
  const enrolled = rows.map(asEnrollment);
  for (const enrollment of enrolled) emit(enrollmentCreated, { data: dataOf(enrollment), record: enrollment });
  if (rows.length) {
    await tx.sql`UPDATE course SET enrollment_count = enrollment_count + ${rows.length}::int WHERE id = ${course.id}`;
    await countDeltas(
      inside,
      rows.map((row) => ({ ...row, metric: 'enrolled', value: 1 })),
    );
    await scheduleDates(schedule, enrolled);
  }
  const records = new Map(enrolled.map((one) => [one.id, one]));
  return learners.map((one, index) => {
    const problem = problems[index];
    const row = byLearner.get(keyOf(one));
    // A learner who is named twice is enrolled once.
    if (!problem && row) byLearner.delete(keyOf(one));
    if (problem) return { error: problem };
    const enrollment = row && records.get(row.id);
    return enrollment ? { enrollment } : { error: alreadyEnrolled() };
  });
}

const alreadyEnrolled = () =>
  fail('already_enrolled', [{ field: 'learnerId', message: 'Is already enrolled in this course' }]);

function audienceError({ audience }: CourseRow, { type }: Learner): ApiError | undefined {
  if (audience === 'users' && type !== 'user')
    return failField(
      'courseId',
      `The course is for users only; send a course for ${type === 'lead' ? 'both' : 'partners'}`,
    );
  if (audience === 'partners' && type === 'user')
    return failField('courseId', 'The course is for partners only; send a course for users');
  return undefined;
}

/** Stores enrolments; learners who are already enrolled are left out. */
async function insert(
  tx: Tx,
  { id, contentVersion }: CourseRow,
  learners: readonly Learner[],
  { source, dueAt, expiresAt, createdBy, ruleId }: Terms,
): Promise<EnrollmentRow[]> {
  if (!learners.length) return [];
  const stored = await tx.sql<{ id: number }>`
    INSERT INTO enrollment (course_id, learner_type, learner_id, user_id, source, attempt_no, content_version,
      due_at, expires_at, created_by, rule_id)
    SELECT ${id}::bigint, given.type, given.id, CASE WHEN given.type = 'user' THEN given.id END, ${source},
      1 + coalesce((SELECT max(attempt_no) FROM enrollment AS earlier WHERE earlier.course_id = ${id}::bigint
        AND earlier.learner_type = given.type AND earlier.learner_id = given.id), 0), ${contentVersion}::int,
      ${dueAt}::timestamptz, ${expiresAt}::timestamptz, ${createdBy}::bigint,
      ${ruleId ?? null}::bigint
    FROM (SELECT DISTINCT type, id FROM jsonb_to_recordset(${JSON.stringify(learners)}::jsonb) AS one (type text, id bigint)
      ORDER BY type, id) AS given
    ON CONFLICT (tenant_id, environment, course_id, learner_type, learner_id)
      WHERE status IN ('enrolled', 'in_progress') DO NOTHING
    RETURNING id`;
  return tx.enrollment.findMany({ where: { id: { in: stored.map((one) => one.id) } }, orderBy: { id: 'asc' } });
}

const keyOf = ({ type, id }: { type: string; id: number }) => `${type} ${id}`;
