import { fromMinor } from '@tandem/contract';
import type { partners } from '@tandem/partner-contract';
import { fail, reachOf } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { asPartner } from './partner.ts';

export const getPartner: Handler<typeof partners.getPartner> = async ({ params, caller, tx }) => {
  const row = await tx.partner.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  const partner = asPartner(row);
  const statusNote = reachOf(caller, 'partners:manage') === 'all' ? row.statusNote : null;
  const partnerId = partner.id;
  const [referralCodes, referralCount, childCount, balances] = await Promise.all([
    tx.referralCode.findMany({ where: { partnerId }, orderBy: { id: 'asc' } }),
    tx.referral.count({ where: { partnerId } }),
    tx.partner.count({ where: { parentPartnerId: partnerId } }),
    balancesOf(tx, partnerId),
  ]);
  return { ...partner, statusNote, referralCodes, referralCount, childCount, balances };
};

async function balancesOf(tx: Tx, partnerId: number) {
  const rows = await tx.sql<{ currency: string; minor: number }>`
    SELECT currency, (sum(amount_minor) FILTER (WHERE status NOT IN ('paid', 'cancelled')))::bigint AS minor
    FROM commission WHERE partner_id = ${partnerId} GROUP BY currency ORDER BY currency`;
  return rows.map(({ currency, minor }) => ({ currency, amount: fromMinor(minor ?? 0, currency) }));
}
