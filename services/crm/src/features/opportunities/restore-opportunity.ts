import { type opportunities, opportunityRestored } from '@tandem/crm-contract';
import { diff } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { presentAccount } from '../accounts/survivor.ts';
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
  // A closed deal keeps its account, which may be restored later.
  const accountId =
    opportunity.status === 'open' ? await presentAccount(tx, opportunity.accountId) : opportunity.accountId;
  const restored = await writeOpportunity(tx, opportunity.id, { deletedAt: null, accountId });
  const { audit } = diff(opportunity, { accountId });
  emit(opportunityRestored, { data: { opportunityId: opportunity.id }, record: restored, changes: audit });
  return restored;
};
