import { type opportunities, opportunityRestored } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { claimAgain } from '../custom-fields/write-values.ts';
import { lockOpportunity, writeOpportunity } from './opportunity.ts';

export const restoreOpportunity: Handler<typeof opportunities.restoreOpportunity> = async ({
  params,
  tx,
  emit,
  ifMatch,
}) => {
  const opportunity = await lockOpportunity(tx, params.id, 'deleted');
  ifMatch(opportunity);
  await claimAgain(tx, 'opportunity', opportunity);
  const restored = await writeOpportunity(tx, opportunity.id, { deletedAt: null });
  emit(opportunityRestored, { data: { opportunityId: opportunity.id }, record: restored });
  return restored;
};
