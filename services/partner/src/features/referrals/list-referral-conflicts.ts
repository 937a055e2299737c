import type { referrals } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';
import { asConflict } from './conflict.ts';

export const listReferralConflicts: Handler<typeof referrals.listReferralConflicts> = async ({ params, tx, list }) => {
  const { id: partnerId } = await readPartner(tx, params.id);
  const page = await list({ model: tx.referralConflict, where: { partnerId } });
  return { ...page, items: page.items.map(asConflict) };
};
