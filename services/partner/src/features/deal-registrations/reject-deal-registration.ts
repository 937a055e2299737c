import { dealRegistrationRejected, type dealRegistrations } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { checkTransition, lockDeal, movedEvent, writeDeal } from './deal-registration.ts';

export const rejectDealRegistration: Handler<typeof dealRegistrations.rejectDealRegistration> = async ({
  params,
  body,
  tx,
  emit,
  ifMatch,
}) => {
  const deal = await lockDeal(tx, { id: params.id });
  ifMatch(deal);
  checkTransition(deal, 'rejected');
  const data = { status: 'rejected', reason: body.reason, decidedAt: new Date() };
  const rejected = await writeDeal(tx, deal.id, data);
  emit(dealRegistrationRejected, movedEvent(rejected, deal.status));
  return rejected;
};
