import { toMinor } from '@tandem/contract';
import type { opportunityWon } from '@tandem/crm-contract';
import type { ConsumerContext, Received } from '@tandem/events';
import { commissionEarned } from '@tandem/partner-contract';
import type { Tx } from '../../handler.ts';
import { periodOf } from '../statements/period.ts';
import { asCommission } from './commission.ts';
import { readPlan, shareOf, type Tier } from './plan.ts';
import { keepUncredited, type WonDeal } from './uncredited-deals.ts';

const dayMs = 86_400_000;

/** Deals as events tell of them: those that have a lead and a value. */
export function wonDeals(events: readonly Received<typeof opportunityWon>[]): WonDeal[] {
  return events.flatMap(({ occurredAt: wonAt, record: { id: opportunityId, leadId, value, currency } }) =>
    leadId !== null && value > 0
      ? [{ opportunityId, leadId, valueMinor: toMinor(value, currency), currency, wonAt }]
      : [],
  );
}

/**
 * Records what partners earn by deals that came of their leads: once for each deal, however often it is told. Deals of
 * leads that nobody is known to have referred are kept, as a lead may be told of later than its deal; so are those of
 * flagged referrals. A deal that was won before its lead was referred earns nothing.
 */
export async function earnCommissions(deals: WonDeal[], { tx, emit }: ConsumerContext<Tx>): Promise<void> {
  const referrers = await findReferrers(
    tx,
    deals.map(({ leadId }) => leadId),
  );
  await keepUncredited(
    tx,
    deals.filter(({ leadId }) => !referrers.has(leadId)),
  );
  if (!referrers.size) return;
  const { id: planId, version: planVersion, tierRates, holdDays } = await readPlan(tx);
  const holdUntil = holdDays ? new Date(Date.now() + holdDays * dayMs) : null;
  const data = deals.flatMap(({ opportunityId, leadId, valueMinor: basisMinor, currency, wonAt }) => {
    const referrer = referrers.get(leadId);
    if (!referrer || referrer.referredAt > wonAt) return [];
    const rate = tierRates[referrer.tier];
    const amountMinor = shareOf(basisMinor, rate);
    const { partnerId } = referrer;
    const plan = { planId, planVersion, rate, holdUntil };
    // A deal so small that nothing is left of it earns nothing.
    return amountMinor ? [{ partnerId, amountMinor, currency, basisMinor, opportunityId, ...plan }] : [];
  });
  if (!data.length) return;
  const rows = await tx.commission.createManyAndReturn({ data, skipDuplicates: true });
  await tx.statement.createMany({
    data: rows.map(({ partnerId, currency, createdAt }) => ({
      ...{ partnerId, currency, period: periodOf(createdAt) },
    })),
    skipDuplicates: true,
  });
  for (const record of rows.map(asCommission)) {
    const { id: commissionId, amount, currency, partnerId } = record;
    emit(commissionEarned, { data: { commissionId, amount, currency, partnerId }, record });
  }
}

interface Referrer {
  partnerId: number;
  tier: Tier;
  referredAt: Date;
}

/** For each of these leads, the partner who referred it, if that partner is approved now. */
async function findReferrers(tx: Tx, leadIds: number[]): Promise<Map<number, Referrer>> {
  if (!leadIds.length) return new Map();
  const rows = await tx.sql<{ lead_id: number; partner_id: number; tier: Tier; created_at: Date }>`
    SELECT referral.lead_id, referral.partner_id, partner.tier, referral.created_at FROM referral
    JOIN partner ON partner.tenant_id = referral.tenant_id AND partner.environment = referral.environment
      AND partner.id = referral.partner_id
    WHERE referral.lead_id = ANY(${leadIds}) AND referral.status = 'attributed' AND partner.status = 'approved'`;
  return new Map(
    rows.map((row) => [row.lead_id, { partnerId: row.partner_id, tier: row.tier, referredAt: row.created_at }]),
  );
}
