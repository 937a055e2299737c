import type { Tx } from '../../handler.ts';
import type { LockedOpportunity } from './opportunity.ts';

/** Starts the history of new opportunities. */
export async function startHistory(tx: Tx, ...opportunities: LockedOpportunity[]): Promise<void> {
  const data = opportunities.map((one) => ({
    ...entryOf(one),
    enteredAt: one.stageEnteredAt,
    byUserId: one.createdBy,
  }));
  await tx.stageEntry.createMany({ data });
}

/** Ends the entry of the stage before a move, and adds one for the stage after it. */
export async function recordMove(
  tx: Tx,
  { before, after, byUserId, reason }: Move & { byUserId: number | null; reason: string | null },
): Promise<void> {
  const enteredAt = after.stageEnteredAt;
  const ended = await tx.stageEntry.updateMany({
    where: { opportunityId: before.id, leftAt: null },
    data: { leftAt: enteredAt },
  });
  // The previous release creates and closes opportunities without history.
  if (ended.count === 0)
    await tx.stageEntry.create({
      data: { ...entryOf(before), enteredAt: before.stageEnteredAt, leftAt: enteredAt, byUserId: null },
    });
  await tx.stageEntry.create({
    data: { ...entryOf(after), enteredAt, byUserId, reason },
  });
}

interface Move {
  before: LockedOpportunity;
  after: LockedOpportunity;
}

function entryOf({ id: opportunityId, stage, stageId, status }: LockedOpportunity) {
  return { opportunityId, stage, stageId, status };
}

/** When an opportunity enters a stage: never before it entered the one that it leaves, whose clock may be ahead. */
export function nextEntryTime({ stageEnteredAt }: LockedOpportunity): Date {
  return new Date(Math.max(Date.now(), stageEnteredAt.getTime()));
}
