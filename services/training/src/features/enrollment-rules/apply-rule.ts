import type { skipReasons } from '@tandem/training-contract';
import type { Course as CourseRow, EnrollmentRule as RuleRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { enroll } from '../enrollments/enroll.ts';
import { type Inside, isLive } from '../enrollments/enrollment.ts';
import { asRule, type RuleRecord } from './enrollment-rule.ts';

type SkipReason = (typeof skipReasons)[number];
type Outcomes = Map<number, SkipReason | null>;

const dayMs = 86_400_000;
const reasonsOfErrors: Record<string, SkipReason> = {
  already_enrolled: 'already_enrolled',
  prerequisites_open: 'prerequisites_open',
};
const reasonsOfEnded: Record<string, SkipReason> = {
  completed: 'completed_before',
  expired: 'expired_before',
  withdrawn: 'withdrawn_before',
};

/**
 * Enrols learners who meet a rule, and records what became of each. A learner whom the rule has enrolled is left alone,
 * unless the rule enrols withdrawn learners again. The course is locked before the rule, as before enrolments.
 */
export async function applyRule(
  inside: Inside,
  { id, courseId }: Pick<RuleRecord, 'id' | 'courseId'>,
  learnerIds: readonly number[],
): Promise<void> {
  if (!learnerIds.length) return;
  const { tx } = inside;
  const course = await tx.course.lockFirst({ where: { id: courseId }, sharesKey: true });
  const row = await tx.enrollmentRule.lockFirst({ where: { id } });
  // It was disabled or deleted since the learners were read.
  if (!course || !row?.active) return;
  const before = await outcomesOf(tx, id, learnerIds);
  const examined = learnerIds.filter((one) => row.reenroll || before.get(one) !== null);
  const outcomes = await decide(inside, { course, row }, examined);
  await record(tx, id, before, outcomes);
}

async function decide(
  inside: Inside,
  { course, row }: { course: CourseRow; row: RuleRow },
  learnerIds: number[],
): Promise<Outcomes> {
  const whole: SkipReason | undefined = course.deletedAt
    ? 'course_deleted'
    : course.status === 'published'
      ? undefined
      : 'not_published';
  if (whole) return new Map(learnerIds.map((one) => [one, whole]));
  const rule = asRule(row);
  const latest = await latestStatuses(inside.tx, rule, learnerIds);
  const outcomes: Outcomes = new Map();
  const open: number[] = [];
  for (const learnerId of learnerIds) {
    const status = latest.get(learnerId);
    if (status === undefined || (status === 'withdrawn' && rule.reenroll)) open.push(learnerId);
    else outcomes.set(learnerId, isLive({ status }) ? 'already_enrolled' : (reasonsOfEnded[status] ?? 'audience'));
  }
  const results = await enroll(
    inside,
    course,
    open.map((one) => ({ type: rule.learnerType, id: one })),
    { ...datesOf(rule), source: 'rule', ruleId: rule.id, createdBy: null },
  );
  for (const [index, result] of results.entries())
    outcomes.set(open[index] as number, 'error' in result ? (reasonsOfErrors[result.error.code] ?? 'audience') : null);
  return outcomes;
}

function datesOf({ dueInDays, expiresInDays }: RuleRecord) {
  const inDays = (days: number | null) => (days === null ? null : new Date(Date.now() + days * dayMs));
  return { dueAt: inDays(dueInDays), expiresAt: inDays(expiresInDays) };
}

/** The status of the latest enrolment of each learner in the course of a rule. */
async function latestStatuses(tx: Tx, rule: RuleRecord, learnerIds: number[]): Promise<Map<number, string>> {
  const rows = await tx.sql<{ learnerId: number; status: string }>`
    SELECT DISTINCT ON (learner_id) learner_id AS "learnerId", status FROM enrollment
    WHERE course_id = ${rule.courseId} AND learner_type = ${rule.learnerType}
      AND learner_id = ANY(${learnerIds}::bigint[])
    ORDER BY learner_id, attempt_no DESC, id DESC`;
  return new Map(rows.map(({ learnerId, status }) => [Number(learnerId), status]));
}

async function outcomesOf(tx: Tx, ruleId: number, learnerIds: readonly number[]): Promise<Outcomes> {
  const rows = await tx.ruleOutcome.findMany({ where: { ruleId, learnerId: { in: [...learnerIds] } } });
  return new Map(rows.map(({ learnerId, skipReason }) => [learnerId, skipReason as SkipReason | null]));
}

/** Stores the outcomes with the counters of the locked rule. */
async function record(tx: Tx, ruleId: number, before: Outcomes, outcomes: Outcomes): Promise<void> {
  // A learner whom the rule has enrolled stays one, also while that enrolment prevents another one.
  const changed = [...outcomes].filter(([learnerId, reason]) => reason === null || before.get(learnerId) !== null);
  if (!changed.length) return;
  const rows = changed.map(([learner, reason]) => ({ learner, reason }));
  await tx.sql`
    INSERT INTO rule_outcome (rule_id, learner_id, skip_reason)
    SELECT ${ruleId}::bigint, learner, reason
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given (learner bigint, reason text) ORDER BY learner
    ON CONFLICT (tenant_id, environment, rule_id, learner_id)
    DO UPDATE SET skip_reason = excluded.skip_reason, decided_at = now()`;
  const count = (isOf: (reason: SkipReason | null | undefined) => boolean) =>
    changed.filter(([, reason]) => isOf(reason)).length - changed.filter(([id]) => isOf(before.get(id))).length;
  const enrolled = count((reason) => reason === null);
  const skipped = count((reason) => typeof reason === 'string');
  if (enrolled || skipped)
    await tx.sql`UPDATE enrollment_rule SET enrolled_count = enrolled_count + ${enrolled}::int,
      skipped_count = skipped_count + ${skipped}::int WHERE id = ${ruleId}`;
}
