import type { portalDealRegistrations } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { updateDeal } from '../deal-registrations/update-deal-registration.ts';
import { lockOwnDeal } from './own-deal.ts';

export const updatePortalDealRegistration: Handler<
  typeof portalDealRegistrations.updatePortalDealRegistration
> = async (context) => {
  const { params, body, caller, tx, ifMatch } = context;
  const deal = await lockOwnDeal(tx, caller, params.id);
  ifMatch(deal);
  return updateDeal(context, deal, body);
};
