import type { Attempt as AttemptRow } from '../../generated/client.ts';
import type { Advancing } from '../progress/advance.ts';
import type { Learning } from '../progress/learning.ts';
import { applyGrade } from './apply-grade.ts';
import { answersOf, drawnOf } from './attempt.ts';
import { gradeAnswers } from './grade-answers.ts';

/** Grades a locked attempt whose time is over with the answers that were saved. */
export function closeAttempt(inside: Advancing, learning: Learning, attempt: AttemptRow): Promise<AttemptRow> {
  const { score } = gradeAnswers(drawnOf(attempt).questions, answersOf(attempt));
  return applyGrade(inside, learning, attempt, { score, submittedAt: attempt.endsAt ?? new Date() });
}
