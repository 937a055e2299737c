import { fail, failField } from '@tandem/service';
import { attemptSubmitted } from '@tandem/training-contract';
import type { Attempt as AttemptRow } from '../../generated/client.ts';
import type { Advancing } from '../progress/advance.ts';
import { type Learning, recordActivity, rejectEnded } from '../progress/learning.ts';
import { applyGrade } from './apply-grade.ts';
import { type Answer, answersOf, drawnOf, isOfOtherType, isOver } from './attempt.ts';
import { checkAnswers } from './check-answers.ts';
import { gradeAnswers } from './grade-answers.ts';

interface HandIn {
  answers: Answer[];
  text?: string | null;
  fileIds: number[];
  /** The checksums of the files. */
  fileChecksums: string[];
}

/** Submits a locked attempt: a quiz is graded at once, an assignment waits for its grade. */
export async function handIn(
  inside: Advancing,
  learning: Learning,
  attempt: AttemptRow,
  { answers, text = null, fileIds, fileChecksums }: HandIn,
): Promise<AttemptRow> {
  rejectPackage(learning);
  rejectClosed(attempt, learning);
  rejectEnded(learning, { butCompleted: true });
  const { questions } = drawnOf(attempt);
  checkAnswers(questions, answers);
  const isAssignment = learning.lessonType === 'assignment';
  if (isAssignment && !text?.trim() && !fileIds.length) throw failField('text', 'Hand in a text, or send fileIds');
  if (!isAssignment && text !== null) throw failField('text', 'Is for assignments; send answers');
  if (!isAssignment && fileIds.length) throw failField('fileIds', 'Must be empty for a quiz; send answers');
  const { id, enrollmentId, lessonId } = attempt;
  inside.emit(attemptSubmitted, { data: { attemptId: id, enrollmentId, lessonId }, record: { id } });
  await recordActivity(inside.tx, learning);
  const submittedAt = new Date();
  if (!isAssignment) {
    const all = withSaved(answersOf(attempt), answers);
    return applyGrade(inside, learning, attempt, {
      score: gradeAnswers(questions, all).score,
      answers: all,
      submittedAt,
    });
  }
  const [row] = await inside.tx.attempt.updateManyAndReturn({
    where: { id },
    data: { status: 'submitted', text, fileIds, fileChecksums, submittedAt, version: { increment: 1 } },
  });
  return row as AttemptRow;
}

/** @throws 422 for the attempt at a SCORM package, which records its own result */
export function rejectPackage({ lessonType }: Learning): void {
  if (lessonType === 'scorm') throw failField('id', 'Is an attempt at a SCORM package, which records its own result');
}

/** @throws 409 if the attempt was submitted, its time is over, or the lesson has another type now */
export function rejectClosed(attempt: AttemptRow, learning: Learning): void {
  if (attempt.status !== 'in_progress')
    throw fail('attempt_ended', [{ field: 'id', message: `The attempt is ${attempt.status}` }]);
  if (isOfOtherType(attempt, learning))
    throw fail('attempt_ended', [{ field: 'id', message: `The lesson is of the type ${learning.lessonType} now` }]);
  if (isOver(attempt)) throw fail('time_over', [{ field: 'id', message: 'The saved answers will be graded' }]);
}

/** The answers of the request, and those that were saved to the other questions. */
function withSaved(saved: readonly Answer[], sent: readonly Answer[]): Answer[] {
  const answered = new Set(sent.map(({ questionId }) => questionId));
  return [...saved.filter(({ questionId }) => !answered.has(questionId)), ...sent];
}
