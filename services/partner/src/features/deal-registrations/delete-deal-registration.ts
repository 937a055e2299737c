import type { Emit } from '@tandem/events';
import { dealRegistrationDeleted, type dealRegistrations } from '@tandem/partner-contract';
import type { Handler, Tx } from '../../handler.ts';
import { checkDraft, dealEvent, lockDeal, type StoredDeal } from './deal-registration.ts';

export const deleteDealRegistration: Handler<typeof dealRegistrations.deleteDealRegistration> = async (context) => {
  const { params, tx, ifMatch } = context;
  const deal = await lockDeal(tx, { id: params.id });
  ifMatch(deal);
  return deleteDeal(context, deal);
};

/** Deletes a locked draft. */
export async function deleteDeal(
  { tx, emit }: { tx: Tx; emit: Emit<typeof dealRegistrationDeleted> },
  deal: StoredDeal,
): Promise<{ id: number; deleted: true }> {
  checkDraft(deal);
  await tx.dealRegistration.deleteMany({ where: { id: deal.id } });
  emit(dealRegistrationDeleted, dealEvent(deal));
  return { id: deal.id, deleted: true };
}
