import type { portalDealRegistrations } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { asDeal } from '../deal-registrations/deal-registration.ts';
import { readOwnPartner } from '../portal/own-partner.ts';

export const listPortalDealRegistrations: Handler<typeof portalDealRegistrations.listPortalDealRegistrations> = async ({
  query,
  caller,
  tx,
  list,
}) => {
  const { id: partnerId } = await readOwnPartner(tx, caller);
  const { status } = query;
  const where = { partnerId, ...(status && { status }) };
  const page = await list({ model: tx.dealRegistration, where, searchIn: ['company'] });
  return { ...page, items: page.items.map(asDeal) };
};
