import type { portalDealRegistrations } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { submitDeal } from '../deal-registrations/submit-deal-registration.ts';
import { lockOwnDeal } from './own-deal.ts';

export const submitPortalDealRegistration: Handler<
  typeof portalDealRegistrations.submitPortalDealRegistration
> = async (context) => {
  const { params, caller, tx, ifMatch } = context;
  const deal = await lockOwnDeal(tx, caller, params.id);
  ifMatch(deal);
  return submitDeal(context, deal);
};
