import { fromMinor } from '@tandem/contract';
import type { partners } from '@tandem/partner-contract';
import { fail, reachOf } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { postMissing } from '../ledger/post-missing.ts';
import { asCodes } from '../referral-codes/code.ts';
import { balancesOf } from '../statements/sums.ts';
import { asPartner } from './partner.ts';

export const getPartner =
  (tools: Tools): Handler<typeof partners.getPartner> =>
  async ({ params, caller, tx }) => {
    const row = await tx.partner.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    const partner = asPartner(row);
    const statusNote = reachOf(caller, 'partners:manage') === 'all' ? row.statusNote : null;
    const partnerId = partner.id;
    const [codes, referralCount, childCount, balances] = await Promise.all([
      tx.referralCode.findMany({ where: { partnerId }, orderBy: { id: 'asc' } }),
      tx.referral.count({ where: { partnerId, status: { not: 'void' } } }),
      tx.partner.count({ where: { parentPartnerId: partnerId } }),
      readBalances(tx, partnerId),
    ]);
    const referralCodes = await asCodes(tx, codes, tools);
    return { ...partner, statusNote, referralCodes, referralCount, childCount, balances };
  };

async function readBalances(tx: Tx, partnerId: number) {
  await postMissing(tx, partnerId);
  const balances = await balancesOf(tx, [partnerId]);
  return balances.map(({ currency, minor }) => ({ currency, amount: fromMinor(minor, currency) }));
}
