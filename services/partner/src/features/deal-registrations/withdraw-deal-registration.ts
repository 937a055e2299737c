import type { Emit } from '@tandem/events';
import { type dealRegistrations, dealRegistrationWithdrawn } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import {
  checkTransition,
  type DealRecord,
  lockDeal,
  movedEvent,
  type StoredDeal,
  writeDeal,
} from './deal-registration.ts';

export const withdrawDealRegistration: Handler<typeof dealRegistrations.withdrawDealRegistration> = async (context) => {
  const { params, body, tx, ifMatch } = context;
  const deal = await lockDeal(tx, { id: params.id });
  ifMatch(deal);
  return withdrawDeal(context, deal, body.reason);
};

/** Ends a locked registration and its protection. */
export async function withdrawDeal(
  { tx, emit }: { tx: Tx; emit: Emit<typeof dealRegistrationWithdrawn> },
  deal: StoredDeal,
  reason: string | null = null,
): Promise<DealRecord> {
  checkTransition(deal, 'withdrawn');
  // The lead and the deal may exist already.
  if (deal.convertingAt) throw fail('conversion_running');
  const withdrawn = await writeDeal(tx, deal.id, { status: 'withdrawn', reason, protectedUntil: null });
  emit(dealRegistrationWithdrawn, movedEvent(withdrawn, deal.status));
  return withdrawn;
}
