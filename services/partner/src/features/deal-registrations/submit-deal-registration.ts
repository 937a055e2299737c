import type { Caller } from '@tandem/caller';
import type { Emit } from '@tandem/events';
import { dealRegistrationSubmitted, type dealRegistrations } from '@tandem/partner-contract';
import type { Handler, Tx } from '../../handler.ts';
import {
  checkApproved,
  checkTransition,
  type DealRecord,
  lockDeal,
  movedEvent,
  type StoredDeal,
  writeDeal,
} from './deal-registration.ts';
import { keysOf } from './protected-keys.ts';
import { checkFree } from './protection.ts';

export const submitDealRegistration: Handler<typeof dealRegistrations.submitDealRegistration> = async (context) => {
  const { params, tx, ifMatch } = context;
  const deal = await lockDeal(tx, { id: params.id });
  ifMatch(deal);
  return submitDeal(context, deal);
};

/** Submits a locked draft, which protects the company from then on. */
export async function submitDeal(
  { tx, emit, caller }: { tx: Tx; emit: Emit<typeof dealRegistrationSubmitted>; caller: Caller },
  deal: StoredDeal,
): Promise<DealRecord> {
  checkTransition(deal, 'submitted');
  await checkApproved(tx, deal.partnerId);
  await checkFree(tx, deal);
  const submittedByPortalUserId = caller.portalUserId ?? null;
  // The release before stores fewer keys with a draft.
  const data = { status: 'submitted', submittedAt: new Date(), submittedByPortalUserId, ...keysOf(deal) };
  const submitted = await writeDeal(tx, deal.id, data);
  emit(dealRegistrationSubmitted, movedEvent(submitted, deal.status));
  return submitted;
}
