import { LearnerType, lessonFailed } from '@tandem/training-contract';
import type { Attempt as AttemptRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { isLive } from '../enrollments/enrollment.ts';
import { type Advancing, finishLesson, updateStanding } from '../progress/advance.ts';
import { type Learning, learnerNumber } from '../progress/learning.ts';
import { countDeltas, type Delta } from '../statistics/deltas.ts';
import { type Answer, answersOf, drawnOf } from './attempt.ts';
import { gradeAnswers } from './grade-answers.ts';

export interface Grade {
  /** Null for a SCORM package that reports none. */
  score: number | null;
  /** The result of a SCORM package; else the score decides. */
  passed?: boolean;
  passScore?: number | null;
  feedback?: string | null;
  gradedBy?: number | null;
  answers?: Answer[];
  submittedAt?: Date;
}

/** Grades a locked attempt: a score that passes completes the lesson, another one is announced as failed. */
export async function applyGrade(
  inside: Advancing,
  learning: Learning,
  attempt: AttemptRow,
  grade: Grade,
): Promise<AttemptRow> {
  const { tx } = inside;
  const { score } = grade;
  const graded = await storeGrade(tx, attempt, grade);
  const { passed } = graded;
  await tx.sql`UPDATE lesson_progress SET score = greatest(score, ${score}::float),
      reported_at = greatest(reported_at, ${grade.submittedAt ?? null}::timestamptz)
    WHERE enrollment_id = ${learning.enrollmentId} AND lesson_id = ${learning.lessonId}`;
  await countDeltas(inside, deltasOf(learning, graded));
  // The enrolment ended since the attempt was handed in: the grade takes effect if the enrolment is extended (`catchUp`).
  if (!isLive(learning) && learning.status !== 'completed') return graded;
  if (!passed) announceFailure(inside, learning, graded);
  const isFinished = passed && completes(learning) && (await finishLesson(inside, learning));
  // A better score can complete a course whose lessons are all done.
  if (!isFinished) await updateStanding(inside, learning.enrollmentId);
  return graded;
}

/** Writes the grade of a locked attempt, without its effects on the lesson and the course. */
export async function storeGrade(
  tx: Tx,
  attempt: AttemptRow,
  { score, passScore, feedback = null, gradedBy = null, answers, submittedAt, ...result }: Grade,
): Promise<AttemptRow> {
  const [row] = await tx.attempt.updateManyAndReturn({
    where: { id: attempt.id },
    data: {
      status: 'graded',
      score,
      passed: result.passed ?? (score ?? 0) >= (attempt.passScore ?? 0),
      ...(passScore !== undefined && { passScore }),
      feedback,
      gradedBy,
      gradedAt: new Date(),
      ...(submittedAt && { submittedAt }),
      ...(answers && { answers: answers as object[] as never }),
      version: { increment: 1 },
    },
  });
  return row as AttemptRow;
}

/**
 * Whether passing completes the lesson: other rules are met by time, a view, or somebody who completes a quiz by hand. The
 * result of a SCORM package follows its rule already.
 */
export function completes({ completion: { rule }, lessonType }: Learning): boolean {
  return rule === 'quiz' || lessonType === 'scorm' || (rule === 'manual' && lessonType === 'assignment');
}

/** Announces that an attempt did not pass. */
export function announceFailure({ emit }: Pick<Advancing, 'emit'>, learning: Learning, attempt: AttemptRow): void {
  const { courseId, lessonId, enrollmentId, completion, progress } = learning;
  const used = progress?.attempts ?? attempt.number;
  emit(lessonFailed, {
    data: {
      courseId,
      lessonId,
      enrollmentId,
      learnerType: LearnerType.parse(learning.learnerType),
      learnerId: learnerNumber(learning),
      score: attempt.score ?? 0,
      passScore: attempt.passScore ?? 0,
      attempt: attempt.number,
      attemptsLeft: completion.maxAttempts === null ? null : Math.max(completion.maxAttempts - used, 0),
    },
    record: { id: attempt.id },
  });
}

function deltasOf(learning: Learning, attempt: AttemptRow): Delta[] {
  const { courseId, lessonId, learnerType, enrolledAt } = learning;
  const counted = (metric: string): Delta => ({ courseId, lessonId, learnerType, enrolledAt, metric, value: 1 });
  const answers = answersOf(attempt);
  const correct = new Map(
    gradeAnswers(drawnOf(attempt).questions, answers).results.map((one) => [one.questionId, one.correct]),
  );
  return [
    counted('attempts'),
    ...(attempt.passed ? [] : [counted('failed')]),
    ...answers
      .filter(hasContent)
      .flatMap(({ questionId, keys }) => [
        counted(`answered:${questionId}`),
        ...(correct.get(questionId) ? [counted(`correct:${questionId}`)] : []),
        ...(keys ?? []).map((key) => counted(`option:${questionId}:${key}`)),
      ]),
  ];
}

/** An answer that was cleared is none. */
function hasContent({ keys, text, number }: Answer): boolean {
  return Boolean(keys?.length) || Boolean(text?.trim()) || number !== undefined;
}
