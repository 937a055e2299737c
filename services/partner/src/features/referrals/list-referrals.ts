import type { referrals } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { listedReferrals } from './listed-referrals.ts';
import { asReferral } from './referral.ts';

export const listReferrals: Handler<typeof referrals.listReferrals> = async ({ query, tx, list }) => {
  const page = await list({ model: tx.referral, ...listedReferrals(query) });
  return { ...page, items: page.items.map(asReferral) };
};
