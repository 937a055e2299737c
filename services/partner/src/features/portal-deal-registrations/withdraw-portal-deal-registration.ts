import type { portalDealRegistrations } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { withdrawDeal } from '../deal-registrations/withdraw-deal-registration.ts';
import { lockOwnDeal } from './own-deal.ts';

export const withdrawPortalDealRegistration: Handler<
  typeof portalDealRegistrations.withdrawPortalDealRegistration
> = async (context) => {
  const { params, body, caller, tx, ifMatch } = context;
  const deal = await lockOwnDeal(tx, caller, params.id);
  ifMatch(deal);
  return withdrawDeal(context, deal, body.reason);
};
