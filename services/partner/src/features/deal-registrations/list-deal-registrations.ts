import type { dealRegistrations } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { asDeal } from './deal-registration.ts';

export const listDealRegistrations: Handler<typeof dealRegistrations.listDealRegistrations> = async ({
  query,
  tx,
  list,
}) => {
  const { status, partnerId } = query;
  const page = await list({
    model: tx.dealRegistration,
    where: { ...(status && { status }), ...(partnerId !== undefined && { partnerId }) },
    searchIn: ['company'],
  });
  return { ...page, items: page.items.map(asDeal) };
};
