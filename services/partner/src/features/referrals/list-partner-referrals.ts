import type { referrals } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';
import { listedReferrals } from './listed-referrals.ts';
import { asReferral } from './referral.ts';

export const listPartnerReferrals: Handler<typeof referrals.listPartnerReferrals> = async ({
  params,
  query,
  tx,
  list,
}) => {
  const { id: partnerId } = await readPartner(tx, params.id);
  const page = await list({ model: tx.referral, ...listedReferrals({ ...query, partnerId }) });
  return { ...page, items: page.items.map(asReferral) };
};
