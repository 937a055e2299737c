import { fromMinor } from '@tandem/contract';
import type { partners } from '@tandem/partner-contract';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { asCodes } from '../referral-codes/code.ts';
import { readPartner } from './partner.ts';

export const getPartner =
  (tools: Tools): Handler<typeof partners.getPartner> =>
  async ({ params, tx }) => {
    const partner = await readPartner(tx, params.id);
    const partnerId = partner.id;
    const [codes, referralCount, childCount, balances] = await Promise.all([
      tx.referralCode.findMany({ where: { partnerId }, orderBy: { id: 'asc' } }),
      tx.referral.count({ where: { partnerId } }),
      tx.partner.count({ where: { parentPartnerId: partnerId } }),
      balancesOf(tx, partnerId),
    ]);
    const referralCodes = await asCodes(tx, codes, tools);
    return { ...partner, referralCodes, referralCount, childCount, balances };
  };

async function balancesOf(tx: Tx, partnerId: number) {
  const rows = await tx.sql<{ currency: string; minor: number }>`
    SELECT currency, (sum(amount_minor) FILTER (WHERE status NOT IN ('paid', 'cancelled')))::bigint AS minor
    FROM commission WHERE partner_id = ${partnerId} GROUP BY currency ORDER BY currency`;
  return rows.map(({ currency, minor }) => ({ currency, amount: fromMinor(minor ?? 0, currency) }));
}
