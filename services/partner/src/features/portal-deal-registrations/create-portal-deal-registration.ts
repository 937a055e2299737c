import type { portalDealRegistrations } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { createDeal } from '../deal-registrations/create-deal-registration.ts';
import { readOwnPartner } from '../portal/own-partner.ts';

export const createPortalDealRegistration: Handler<
  typeof portalDealRegistrations.createPortalDealRegistration
> = async (context) => {
  const { body, caller, tx } = context;
  const partner = await readOwnPartner(tx, caller);
  return createDeal(context, partner.id, body);
};
