import { fail, failField, type JsonObject } from '@tandem/service';
import { attemptStarted, isScored, passScoreOf } from '@tandem/training-contract';
import type { Attempt as AttemptRow } from '../../generated/client.ts';
import { type Advancing, startEnrollment } from '../progress/advance.ts';
import { type Learning, recordActivity, rejectEnded, rejectLocked } from '../progress/learning.ts';
import { countDeltas } from '../statistics/deltas.ts';
import { closeAttemptJob, graceMs, isOfOtherType, isOver } from './attempt.ts';
import { closeAttempt } from './close-attempt.ts';
import { drawQuestions, quizOf } from './draw-questions.ts';

/**
 * Begins an attempt at a lesson of a locked enrolment, or finds the one in progress.
 * @param isLaunch whether a SCORM package is launched, the only way to begin an attempt at one
 */
export async function beginAttempt(
  inside: Advancing,
  learning: Learning,
  { isLaunch = false } = {},
): Promise<{ attempt: AttemptRow; isNew: boolean }> {
  const { tx, emit, schedule } = inside;
  const { enrollmentId, lessonId, courseId, lessonType } = learning;
  if (lessonType === 'scorm' && !isLaunch)
    throw failField('lessonId', 'A SCORM lesson is launched; use launch instead');
  if (!isScored({ type: lessonType }))
    throw failField('lessonId', `A lesson of the type ${lessonType} has no attempts; complete it instead`);
  rejectEnded(learning);
  rejectLocked(learning);
  const last = await tx.attempt.findFirst({ where: { enrollmentId, lessonId }, orderBy: { number: 'desc' } });
  if (last?.status === 'in_progress' && isOfOtherType(last, learning)) {
    await tx.attempt.updateMany({ where: { id: last.id }, data: { status: 'ended', version: { increment: 1 } } });
  } else if (last?.status === 'in_progress') {
    if (!isOver(last)) return { attempt: last, isNew: false };
    await closeAttempt(inside, learning, last);
    const [now] = await tx.sql<{ status: string }>`SELECT status FROM enrollment WHERE id = ${enrollmentId}`;
    if (now) rejectEnded(now);
  }
  if (last?.status === 'submitted')
    throw fail('waits_for_grade', [{ field: 'lessonId', message: `Attempt ${last.number} waits for its grade` }]);
  // Attempts that ended with a deleted lesson or another type were not the learner's choice.
  const used = await tx.attempt.count({ where: { enrollmentId, lessonId, status: { not: 'ended' } } });
  rejectUsedUp(learning, used);
  const quiz = quizOf(learning.quiz);
  const drawn =
    lessonType === 'quiz' ? await drawQuestions(tx, lessonId, quiz) : { questions: [], showAnswers: 'never' };
  const endsAt = quiz.timeLimitSeconds ? new Date(Date.now() + quiz.timeLimitSeconds * 1_000) : null;
  const attempt = await tx.attempt.create({
    data: {
      enrollmentId,
      courseId,
      lessonId,
      lessonType,
      userId: learning.learnerType === 'user' ? learning.learnerId : null,
      number: (last?.number ?? 0) + 1,
      questions: drawn as unknown as JsonObject,
      // A package may name its own pass mark; it is written with the result.
      passScore: isLaunch ? null : passScoreOf(learning, { passScore: learning.coursePassScore }),
      endsAt,
    },
  });
  await tx.sql`INSERT INTO lesson_progress AS progress (enrollment_id, lesson_id, attempts)
    VALUES (${enrollmentId}, ${lessonId}, ${used + 1}::int)
    ON CONFLICT (tenant_id, environment, enrollment_id, lesson_id) DO UPDATE SET attempts = excluded.attempts`;
  await recordActivity(tx, learning);
  if (!learning.progress) {
    const { learnerType, enrolledAt } = learning;
    await countDeltas(inside, [{ courseId, lessonId, learnerType, enrolledAt, metric: 'started', value: 1 }]);
  }
  if (learning.status === 'enrolled') await startEnrollment(inside, learning);
  if (endsAt) await schedule(closeAttemptJob, [{ attemptId: attempt.id }], new Date(endsAt.getTime() + graceMs));
  emit(attemptStarted, { data: { attemptId: attempt.id, enrollmentId, lessonId }, record: { id: attempt.id } });
  return { attempt, isNew: true };
}

function rejectUsedUp({ completion: { maxAttempts } }: Learning, used: number): void {
  if (maxAttempts === null || used < maxAttempts) return;
  throw fail('attempts_used', [{ field: 'lessonId', message: `The lesson allows ${maxAttempts} attempts` }]);
}
