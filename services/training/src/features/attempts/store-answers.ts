import type { Attempt as AttemptRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { type Learning, recordActivity, rejectEnded } from '../progress/learning.ts';
import { type Answer, drawnOf } from './attempt.ts';
import { checkAnswers } from './check-answers.ts';
import { rejectClosed, rejectPackage } from './hand-in.ts';

/** Replaces the saved answers of a locked attempt. */
export async function storeAnswers(
  tx: Tx,
  learning: Learning,
  attempt: AttemptRow,
  answers: Answer[],
): Promise<AttemptRow> {
  rejectPackage(learning);
  rejectClosed(attempt, learning);
  rejectEnded(learning, { butCompleted: true });
  checkAnswers(drawnOf(attempt).questions, answers);
  await recordActivity(tx, learning);
  const [row] = await tx.attempt.updateManyAndReturn({
    where: { id: attempt.id },
    data: { answers: answers as object[] as never, version: { increment: 1 } },
  });
  return row as AttemptRow;
}
