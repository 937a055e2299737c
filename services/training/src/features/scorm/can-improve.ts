/**
 * Whether another attempt at a completed package can help to complete the course: the score counts towards its pass mark,
 * which it does not reach, and an attempt is left.
 */
export function canImprove({
  progress,
  coursePassScore,
  completion,
}: {
  progress: { score: number | null; attempts: number } | null;
  coursePassScore: number | null;
  completion: { maxAttempts: number | null };
}): boolean {
  if (!progress || progress.score === null || coursePassScore === null) return false;
  const isAttemptLeft = completion.maxAttempts === null || progress.attempts < completion.maxAttempts;
  return isAttemptLeft && progress.score < coursePassScore;
}
