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

/**
 * Ends the entry of the stage that a deal leaves. Call it before the deal is written: entries are narrowed through their
 * deal, which the same change may hand over to another owner.
 */
export async function leaveStage(tx: Tx, before: LockedOpportunity, leftAt: Date): Promise<void> {
  const ended = await tx.stageEntry.updateMany({
    where: { opportunityId: before.id, leftAt: null },
    data: { leftAt },
  });
  // The previous release creates and closes opportunities without history.
  if (ended.count === 0)
    await tx.stageEntry.create({
      data: { ...entryOf(before), enteredAt: before.stageEnteredAt, leftAt, byUserId: null },
    });
}

/** Adds the entry of the stage that a deal has entered. */
export async function enterStage(
  tx: Tx,
  after: LockedOpportunity,
  entry: { enteredAt: Date; byUserId: number | null; reason: string | null },
): Promise<void> {
  await tx.stageEntry.create({ data: { ...entryOf(after), ...entry } });
}

function entryOf({ id: opportunityId, stage, stageId, status }: LockedOpportunity) {
  return { opportunityId, stage, stageId, status };
}

/** When an opportunity enters a stage: never before it entered the one that it leaves, whose clock may be ahead. */
export function nextEntryTime({ stageEnteredAt }: LockedOpportunity): Date {
  return new Date(Math.max(Date.now(), stageEnteredAt.getTime()));
}
