import { fromMinor } from '@tandem/contract';
import type { partners } from '@tandem/partner-contract';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { postMissing } from '../ledger/post-missing.ts';
import { asCodes } from '../referral-codes/code.ts';
import { balancesOf } from '../statements/sums.ts';
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
      readBalances(tx, partnerId),
    ]);
    const referralCodes = await asCodes(tx, codes, tools);
    return { ...partner, referralCodes, referralCount, childCount, balances };
  };

async function readBalances(tx: Tx, partnerId: number) {
  await postMissing(tx, partnerId);
  const balances = await balancesOf(tx, [partnerId]);
  return balances.map(({ currency, minor }) => ({ currency, amount: fromMinor(minor, currency) }));
}
