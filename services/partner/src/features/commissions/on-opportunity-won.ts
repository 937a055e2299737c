import { toMinor } from '@tandem/contract';
import type { opportunityWon } from '@tandem/crm-contract';
import type { Emit, Received, Schedule } from '@tandem/events';
import type { commissionEarned } from '@tandem/partner-contract';
import { currentLeads } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { scheduleReviews } from '../tiers/schedule-reviews.ts';
import { earnFromSales, type ReferredSale } from './earn-from-sales.ts';
import { findReferrers } from './referrers.ts';
import { keepUncredited, type WonDeal } from './uncredited-deals.ts';

/** Deals with a lead, from `opportunity.won` events. */
export function wonDeals(events: readonly Received<typeof opportunityWon>[]): WonDeal[] {
  return events.flatMap(({ occurredAt, record }) => wonDeal(record, occurredAt) ?? []);
}

type Opportunity = Pick<
  Received<typeof opportunityWon>['record'],
  'id' | 'leadId' | 'pipelineId' | 'value' | 'currency' | 'version'
>;

/** The deal of a won opportunity; undefined without a lead. A deal without a value can earn a fixed amount. */
export function wonDeal(deal: Opportunity, wonAt: Date): WonDeal | undefined {
  const { id: opportunityId, leadId, pipelineId, value, currency, version } = deal;
  if (leadId === null) return undefined;
  return { opportunityId, leadId, pipelineId, version, valueMinor: toMinor(value, currency), currency, wonAt };
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
    if (!referrer || referrer.referredAt > deal.wonAt) return [];
    return [{ sale: { leadId: leads.get(deal.leadId) ?? deal.leadId, at: deal.wonAt, deal }, referrer }];
  });
  await storeWon(tx, deals, credited);
  if (!credited.length) return kept;
  await scheduleReviews(
    { tx, schedule },
    credited.map(({ referrer }) => referrer.partnerId),
  );
  return kept + (await earnFromSales({ tx, emit, schedule }, 'opportunity.won', credited));
}

/** Stores that deals are won, and which partners they belong to: a won deal keeps its lead with the partner. */
async function storeWon(
  tx: Tx,
  deals: WonDeal[],
  credited: (ReferredSale & { sale: { deal: WonDeal } })[],
): Promise<void> {
  if (!deals.length) return;
  const owners = new Map(credited.map(({ sale: { deal }, referrer }) => [deal, referrer.partnerId]));
  const rows = deals.map((deal) => ({
    opportunity_id: deal.opportunityId,
    partner_id: owners.get(deal) ?? null,
    pipeline_id: deal.pipelineId,
    value_minor: deal.valueMinor,
    currency: deal.currency,
    won_at: deal.wonAt,
  }));
  await tx.sql`UPDATE deal SET partner_id = coalesce(won.partner_id, deal.partner_id), pipeline_id = won.pipeline_id,
      value_minor = won.value_minor, currency = won.currency, won_at = won.won_at
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS won (opportunity_id bigint, partner_id bigint,
      pipeline_id bigint, value_minor bigint, currency text, won_at timestamptz)
    WHERE deal.opportunity_id = won.opportunity_id`;
}
