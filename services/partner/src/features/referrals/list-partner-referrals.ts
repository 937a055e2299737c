import type { referrals } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';
import { asReferral } from './referral.ts';

export const listPartnerReferrals: Handler<typeof referrals.listPartnerReferrals> = async ({
  params,
  query,
  tx,
  list,
}) => {
  const { status, source, from, to } = query;
  const { id: partnerId } = await readPartner(tx, params.id);
  const page = await list({
    model: tx.referral,
    where: { partnerId, ...(status && { status }), ...(source && { source }) },
    and: [...(from ? [{ occurredAt: { gte: from } }] : []), ...(to ? [{ occurredAt: { lte: to } }] : [])],
  });
  return { ...page, items: page.items.map(asReferral) };
};
