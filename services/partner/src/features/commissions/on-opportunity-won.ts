import { toMinor } from '@tandem/contract';
import type { opportunityWon } from '@tandem/crm-contract';
import type { Emit, Received, Schedule } from '@tandem/events';
import { commissionEarned } from '@tandem/partner-contract';
import { currentLeads } from '@tandem/service';
import type { Commission as CommissionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { readMonths } from '../statements/time-zone.ts';
import { scheduleReviews } from '../tiers/schedule-reviews.ts';
import { asCommission } from './commission.ts';
import { type Plan, readPlan, shareOf, type Tier } from './plan.ts';
import { keepUncredited, type WonDeal } from './uncredited-deals.ts';

const dayMs = 86_400_000;

/** Deals with a lead and a positive value, from `opportunity.won` events. */
export function wonDeals(events: readonly Received<typeof opportunityWon>[]): WonDeal[] {
  return events.flatMap(({ occurredAt, record }) => wonDeal(record, occurredAt) ?? []);
}

type Opportunity = Pick<Received<typeof opportunityWon>['record'], 'id' | 'leadId' | 'value' | 'currency' | 'version'>;

/** The deal of a won opportunity; undefined without a lead or a positive value. */
export function wonDeal({ id, leadId, value, currency, version }: Opportunity, wonAt: Date): WonDeal | undefined {
  if (leadId === null || value <= 0) return undefined;
  return { opportunityId: id, leadId, version, valueMinor: toMinor(value, currency), currency, wonAt };
}

/**
 * Records commissions for deals of referred leads, once per deal. Deals without a valid referral are kept, because the
 * lead event can arrive after the deal event. Returns how many deals were kept or earned a commission.
 */
export async function earnCommissions(
  deals: WonDeal[],
  { tx, emit, schedule }: { tx: Tx; emit: Emit<typeof commissionEarned>; schedule: Schedule },
): Promise<number> {
  const leads = await currentLeads(
    tx,
    deals.map(({ leadId }) => leadId),
  );
  const referrers = await findReferrers(tx, [...leads.values()]);
  const referrerOf = ({ leadId }: WonDeal) => referrers.get(leads.get(leadId) ?? leadId);
  const uncredited = deals.filter((deal) => !referrerOf(deal));
  const kept = await keepUncredited(tx, uncredited);
  const credited = deals.flatMap((deal) => {
    const referrer = referrerOf(deal);
    // A deal that was won before its lead was referred belongs to nobody.
    return referrer && referrer.referredAt <= deal.wonAt ? [{ deal, referrer }] : [];
  });
  await storeWon(tx, deals, credited);
  if (!referrers.size) return kept;
  await scheduleReviews(
    { tx, schedule },
    credited.map(({ referrer }) => referrer.partnerId),
  );
  const plan = await readPlan(tx);
  const data = credited.flatMap((one) => commissionOf(one, plan) ?? []);
  if (!data.length) return kept;
  const rows = await tx.commission.createManyAndReturn({ data, skipDuplicates: true });
  await createStatements(tx, rows);
  for (const record of rows.map(asCommission)) {
    const { id: commissionId, amount, currency, partnerId } = record;
    emit(commissionEarned, { data: { commissionId, amount, currency, partnerId }, record });
  }
  return kept + rows.length;
}

interface CreditedDeal {
  deal: WonDeal;
  referrer: Referrer;
}

/** Stores that deals are won, and which partners they belong to: a won deal keeps its lead with the partner. */
async function storeWon(tx: Tx, deals: WonDeal[], credited: CreditedDeal[]): Promise<void> {
  if (!deals.length) return;
  const owners = new Map(credited.map(({ deal, referrer }) => [deal, referrer.partnerId]));
  const rows = deals.map((deal) => ({
    opportunity_id: deal.opportunityId,
    partner_id: owners.get(deal) ?? null,
    value_minor: deal.valueMinor,
    currency: deal.currency,
    won_at: deal.wonAt,
  }));
  await tx.sql`UPDATE deal SET partner_id = coalesce(won.partner_id, deal.partner_id), value_minor = won.value_minor,
      currency = won.currency, won_at = won.won_at
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS won
      (opportunity_id bigint, partner_id bigint, value_minor bigint, currency text, won_at timestamptz)
    WHERE deal.opportunity_id = won.opportunity_id`;
}

/** The commission of a deal; undefined when it rounds to zero. */
function commissionOf({ deal, referrer }: CreditedDeal, plan: Plan) {
  const rate = plan.tierRates[referrer.tier];
  const amountMinor = shareOf(deal.valueMinor, rate);
  if (amountMinor === 0) return undefined;
  return {
    partnerId: referrer.partnerId,
    opportunityId: deal.opportunityId,
    dealVersion: deal.version,
    attribution: referrer.moves,
    amountMinor,
    basisMinor: deal.valueMinor,
    currency: deal.currency,
    rate,
    planId: plan.id,
    planVersion: plan.version,
    holdUntil: plan.holdDays ? new Date(Date.now() + plan.holdDays * dayMs) : null,
  };
}

/** Creates the statements that the commissions belong to, unless they exist. */
export async function createStatements(tx: Tx, commissions: CommissionRow[]): Promise<void> {
  if (!commissions.length) return;
  const months = await readMonths(tx);
  const data = commissions.map(({ partnerId, currency, createdAt }) => ({
    partnerId,
    currency,
    period: months.of(createdAt),
  }));
  await tx.statement.createMany({ data, skipDuplicates: true });
}

interface Referrer {
  partnerId: number;
  tier: Tier;
  referredAt: Date;
  /** How often the lead had got another partner. */
  moves: number;
}

/** Referring partner by lead id, if the partner is currently approved. */
async function findReferrers(tx: Tx, leadIds: number[]): Promise<Map<number, Referrer>> {
  if (!leadIds.length) return new Map();
  const rows = await tx.sql<Referrer & { leadId: number }>`
    SELECT referral.lead_id AS "leadId", referral.partner_id AS "partnerId", partner.tier,
      referral.occurred_at AS "referredAt", referral.moves FROM referral
    JOIN partner ON partner.tenant_id = referral.tenant_id AND partner.environment = referral.environment
      AND partner.id = referral.partner_id
    WHERE referral.lead_id = ANY(${leadIds}) AND referral.status = 'attributed' AND partner.status = 'approved'`;
  return new Map(rows.map(({ leadId, ...referrer }) => [leadId, referrer]));
}
