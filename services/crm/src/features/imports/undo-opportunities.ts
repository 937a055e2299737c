import type { Caller } from '@tandem/caller';
import { ApiError, diff } from '@tandem/service';
import { changeOpportunity, type FieldChange } from '../opportunities/change-opportunity.ts';
import { removeOpportunity } from '../opportunities/delete-opportunity.ts';
import { asOpportunity, type LockedOpportunity } from '../opportunities/opportunity.ts';
import { lockRecords } from './lock-records.ts';
import type { Batch, Outcome, Undone } from './target.ts';

const reason = 'The import was undone';

/** Deletes the opportunities that were created, and restores those that were updated. A closed deal is kept as it is. */
export async function undoOpportunities(outcomes: readonly Outcome[], batch: Batch): Promise<Undone> {
  const undone: Undone = { deleted: 0, restored: 0, kept: 0 };
  const { tx, emit } = batch;
  await lockRecords(
    tx,
    'opportunity',
    outcomes.flatMap((one) => ('id' in one ? [one.id] : [])),
  );
  for (const outcome of outcomes.toReversed()) {
    if (outcome.action !== 'created' && outcome.action !== 'updated') continue;
    const row = await tx.opportunity.lockFirst({ where: { id: outcome.id } });
    const opportunity = row && !row.deletedAt && row.status === 'open' ? asOpportunity(row) : undefined;
    if (opportunity && outcome.action === 'created') {
      await removeOpportunity({ tx, emit }, opportunity.id, reason);
      undone.deleted += 1;
    } else if (opportunity && outcome.action === 'updated' && (await isRestored(opportunity, outcome, batch)))
      undone.restored += 1;
    else undone.kept += 1;
  }
  return undone;
}

type Fields = Record<string, unknown>;

/** Restores the fields and the stage of a deal, unless one of them was changed since, or a rule of its pipeline refuses. */
async function isRestored(
  opportunity: LockedOpportunity,
  { before, after }: { before: Fields; after: Fields },
  { tx, emit, actor }: Batch,
): Promise<boolean> {
  if (!diff(opportunity, withTimes(after)).isEmpty) return false;
  const { stageId, stage, pipelineId, probability, probabilityOverridden, ...fields } = withTimes(before);
  // Null makes the probability follow the stage again.
  const own = probabilityOverridden === false ? null : (probability as number | undefined);
  const follows = probabilityOverridden === undefined && !opportunity.probabilityOverridden;
  const change = { ...fields, ...(!follows && own !== undefined && { probability: own }) } as FieldChange;
  const move = typeof stageId === 'number' ? { stageId, reason } : undefined;
  try {
    await changeOpportunity({ tx, emit, caller: actor as Caller }, { opportunity, fields: change, move });
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Stored fields of an opportunity, with times as dates. */
function withTimes({ expectedCloseAt, ...fields }: Fields): Fields {
  if (expectedCloseAt === undefined) return fields;
  return { ...fields, expectedCloseAt: typeof expectedCloseAt === 'string' ? new Date(expectedCloseAt) : null };
}
