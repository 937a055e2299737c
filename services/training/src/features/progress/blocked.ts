import { type EnrollmentProgress, isScored } from '@tandem/training-contract';
import type { z } from 'zod';
import { storedCompletion } from './learning.ts';

type Progress = z.output<typeof EnrollmentProgress>;
type Outline = Progress['lessons'][number];

const remedy = 'Allow more attempts in the lesson, or withdraw and restart the enrolment';

/**
 * Why a running enrolment cannot be completed any more, and what helps; null while it is possible.
 * @param rows the rules of the lessons, and whether an attempt at them is in progress or waits for its grade
 */
export function blockedReason(
  { score, passScore }: Pick<Progress, 'score' | 'passScore'>,
  lessons: readonly Outline[],
  rows: ReadonlyMap<number, { completion: unknown; isAttemptOpen: boolean }>,
): string | null {
  const required = lessons.filter((one) => one.required);
  const needed = required.length ? required : lessons;
  const isUsedUp = (one: Outline) => isScored(one) && !one.canRetry && !rows.get(one.lessonId)?.isAttemptOpen;
  const mustPass = (one: Outline) =>
    ['quiz', 'package'].includes(storedCompletion(rows.get(one.lessonId)?.completion).rule);
  const failed = needed.find((one) => one.status === 'in_progress' && isUsedUp(one) && mustPass(one));
  if (failed) return `No attempts are left in “${failed.title}”, which is not passed. ${remedy}`;
  if (!isBelow(score, passScore) || needed.some(({ status }) => status !== 'completed')) return null;
  // Only required lessons count towards the score.
  return required.filter(isScored).every(isUsedUp)
    ? `The score of ${score} is below the pass mark of ${passScore}, and no attempts are left. ${remedy}`
    : null;
}

/** Whether a score does not reach the pass mark. */
export function isBelow(score: number | null, passScore: number | null): boolean {
  return score !== null && passScore !== null && score < passScore;
}
