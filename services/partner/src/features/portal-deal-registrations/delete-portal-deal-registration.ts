import type { portalDealRegistrations } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { deleteDeal } from '../deal-registrations/delete-deal-registration.ts';
import { lockOwnDeal } from './own-deal.ts';

export const deletePortalDealRegistration: Handler<
  typeof portalDealRegistrations.deletePortalDealRegistration
> = async (context) => {
  const { params, caller, tx, ifMatch } = context;
  const deal = await lockOwnDeal(tx, caller, params.id);
  ifMatch(deal);
  return deleteDeal(context, deal);
};
