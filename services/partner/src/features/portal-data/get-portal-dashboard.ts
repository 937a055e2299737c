import { fromMinor } from '@tandem/contract';
import { CommissionStatus, type portalData } from '@tandem/partner-contract';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { postMissing } from '../ledger/post-missing.ts';
import { readOwnPartner } from '../portal/own-partner.ts';
import { type Disclosure, readDisclosure } from './disclosed.ts';

export const getPortalDashboard = (tools: Tools): Handler<typeof portalData.getPortalDashboard, Disclosure> => ({
  check: ({ caller }) => readDisclosure(tools, caller),
  async run({ caller, tx, found: disclosure }) {
    const { id: partnerId, tier } = await readOwnPartner(tx, caller);
    await postMissing(tx, partnerId);
    const [referrals, links, deals, commissions, balances] = await Promise.all([
      readReferrals(tx, partnerId),
      readLinks(tx, partnerId),
      readDeals(tx, partnerId),
      readCommissions(tx, partnerId),
      readBalances(tx, partnerId),
    ]);
    const [recruits, pendingDealRegistrations] = await Promise.all([
      tx.partner.count({ where: { parentPartnerId: partnerId, status: 'approved' } }),
      tx.dealRegistration.count({ where: { partnerId, status: 'submitted' } }),
    ]);
    // The sum of one deal is its value.
    const shown = disclosure === 'none' ? deals.map((one) => ({ ...one, wonValue: null })) : deals;
    return { tier, referrals, links, recruits, pendingDealRegistrations, deals: shown, commissions, balances };
  },
});

async function readReferrals(tx: Tx, partnerId: number) {
  const [counts] = await tx.sql<{ total: number; last30Days: number }>`
    SELECT count(*) AS total, count(*) FILTER (WHERE occurred_at > now() - interval '30 days') AS "last30Days"
    FROM referral WHERE partner_id = ${partnerId} AND status = 'attributed'`;
  return counts ?? { total: 0, last30Days: 0 };
}

async function readLinks(tx: Tx, partnerId: number) {
  const [sums] = await tx.sql<{ activeCodes: number; clicks: number; uniqueClicks: number }>`
    SELECT count(*) FILTER (WHERE is_active AND (expires_at IS NULL OR expires_at > now())) AS "activeCodes",
      coalesce(sum(clicks), 0)::bigint AS clicks, coalesce(sum(unique_clicks), 0)::bigint AS "uniqueClicks"
    FROM referral_code WHERE partner_id = ${partnerId}`;
  return sums ?? { activeCodes: 0, clicks: 0, uniqueClicks: 0 };
}

async function readDeals(tx: Tx, partnerId: number) {
  const rows = await tx.sql<{ currency: string; won: number; minor: number }>`
    SELECT currency, count(*) AS won, sum(value_minor)::bigint AS minor FROM deal
    WHERE partner_id = ${partnerId} AND won_at IS NOT NULL GROUP BY currency ORDER BY currency`;
  return rows.map(({ currency, won, minor }) => ({ currency, won, wonValue: fromMinor(minor, currency) }));
}

async function readCommissions(tx: Tx, partnerId: number) {
  const rows = await tx.sql<{ currency: string; status: string; count: number; minor: number }>`
    SELECT currency, status, count(*) AS count, sum(amount_minor)::bigint AS minor FROM commission
    WHERE partner_id = ${partnerId} GROUP BY currency, status ORDER BY currency, status`;
  return rows.map(({ currency, status, count, minor }) => ({
    currency,
    status: CommissionStatus.parse(status),
    count,
    amount: fromMinor(minor, currency),
  }));
}

async function readBalances(tx: Tx, partnerId: number) {
  const rows = await tx.sql<{ currency: string; minor: number; paid: number }>`
    SELECT currency, sum(earned_minor + adjustments_minor + clawbacks_minor - paid_minor)::bigint AS minor,
      sum(paid_minor)::bigint AS paid
    FROM statement WHERE partner_id = ${partnerId} GROUP BY currency ORDER BY currency`;
  return rows.map(({ currency, minor, paid }) => ({
    currency,
    balance: fromMinor(minor, currency),
    paid: fromMinor(paid, currency),
  }));
}
