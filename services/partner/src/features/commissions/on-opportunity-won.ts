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

/** Deals with a lead and a positive value, from `opportunity.won` events. */
export function wonDeals(events: readonly Received<typeof opportunityWon>[]): WonDeal[] {
  return events.flatMap(({ occurredAt: wonAt, record: { id: opportunityId, leadId, value, currency } }) =>
    leadId !== null && value > 0
      ? [{ opportunityId, leadId, valueMinor: toMinor(value, currency), currency, wonAt }]
      : [],
  );
}

/**
 * Records commissions for deals of referred leads, once per deal. Deals without a valid referral are kept, because the
 * lead event can arrive after the deal event. A deal won before its lead was referred earns nothing.
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
    // Amounts that round to zero earn nothing.
    return amountMinor ? [{ partnerId, amountMinor, currency, basisMinor, opportunityId, ...plan }] : [];
  });
  if (!data.length) return;
  const rows = await tx.commission.createManyAndReturn({ data, skipDuplicates: true });
  await tx.statement.createMany({
    data: rows.map(({ partnerId, currency, createdAt }) => ({
      partnerId,
      currency,
      period: periodOf(createdAt),
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

/** Referring partner by lead id, if the partner is currently approved. */
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
