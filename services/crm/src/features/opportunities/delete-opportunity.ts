import { type opportunities, opportunityDeleted } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import type { Handler, Tx } from '../../handler.ts';
import { releaseAllValues } from '../custom-fields/write-values.ts';
import { lockOpportunity, writeOpportunity } from './opportunity.ts';

export const deleteOpportunity: Handler<typeof opportunities.deleteOpportunity> = async ({
  params,
  tx,
  emit,
  ifMatch,
}) => {
  const opportunity = await lockOpportunity(tx, params.id);
  ifMatch(opportunity);
  await removeOpportunity({ tx, emit }, opportunity.id);
  return { id: opportunity.id, deleted: true };
};

/** Marks a locked opportunity as deleted, with its event. */
export async function removeOpportunity(
  { tx, emit }: { tx: Tx; emit: Emit },
  opportunityId: number,
  reason: string | null = null,
): Promise<void> {
  const deleted = await writeOpportunity(tx, opportunityId, { deletedAt: new Date() });
  await releaseAllValues(tx, 'opportunity', opportunityId);
  emit(opportunityDeleted, { data: { opportunityId, reason }, record: deleted });
}
