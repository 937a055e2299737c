import { fromMinor, toMinor } from '@tandem/contract';
import type { AppliedPlan } from '../commission-plans/applied-plans.ts';
import type { Plan, Terms } from '../commission-plans/plan.ts';

const dayMs = 86_400_000;

/** A won deal, or the qualification of a lead, which has no value: both earn commissions. */
export interface Sale {
  leadId: number;
  at: Date;
  deal: {
    opportunityId: number;
    version: number;
    pipelineId: number | null;
    valueMinor: number;
    currency: string;
  } | null;
}

/** A partner that earns from a sale: the one who referred the lead, or one above. */
export interface Earner {
  partnerId: number;
  level: number;
  tier: keyof Terms['tierRates'];
}

/** The columns of the commission of a partner from a sale; undefined when the plan pays nothing. */
export function commissionOf(sale: Sale, earner: Earner, { plan, source }: AppliedPlan) {
  const { terms } = plan;
  const share = earner.level === 1 ? shareOfReferrer(sale, earner, terms) : shareOfLevel(sale, earner, terms);
  if (!share || share.amountMinor === 0) return undefined;
  return {
    partnerId: earner.partnerId,
    level: earner.level,
    ...capped(share, terms),
    opportunityId: sale.deal?.opportunityId ?? null,
    // A commission of a deal belongs to the deal, of which a lead can have several.
    leadId: sale.deal ? null : sale.leadId,
    dealVersion: sale.deal?.version ?? 0,
    planId: plan.id,
    planVersion: plan.planVersion,
    planSource: source,
    holdUntil: holdUntil(plan, sale.at),
  };
}

/** The end of the hold period of a commission; null without one. */
export function holdUntil(plan: Plan | undefined, at = new Date()): Date | null {
  const days = plan?.terms.holdDays;
  return days ? new Date(at.getTime() + days * dayMs) : null;
}

interface Share {
  amountMinor: number;
  currency: string;
  basisMinor: number | null;
  rate: number | null;
  rateSource: string;
}

function shareOfReferrer({ deal }: Sale, { tier }: Earner, terms: Terms): Share | undefined {
  if (terms.type === 'flat') return { ...flatOf(terms), basisMinor: null, rate: null, rateSource: 'plan' };
  if (!deal) return undefined;
  const { rate, rateSource } = rateOf(terms, { tier, pipelineId: deal.pipelineId });
  return { ...percentOf(deal.valueMinor, rate), currency: deal.currency, rateSource };
}

function shareOfLevel({ deal }: Sale, { level }: Earner, terms: Terms): Share | undefined {
  const rate = terms.levels.find((one) => one.level === level)?.rate;
  if (rate === undefined) return undefined;
  const basis =
    terms.type === 'flat' ? flatOf(terms) : deal && { amountMinor: deal.valueMinor, currency: deal.currency };
  if (!basis) return undefined;
  return { ...percentOf(basis.amountMinor, rate), currency: basis.currency, rateSource: 'level' };
}

/** Requires terms of a flat plan, which have both. */
function flatOf({ amount, currency }: Terms) {
  if (amount === null || currency === null) throw new Error('a flat plan has no amount');
  return { amountMinor: toMinor(amount, currency), currency };
}

function rateOf(terms: Terms, { tier, pipelineId }: { tier: Earner['tier']; pipelineId: number | null }) {
  const ofPipeline = terms.pipelineRates.find((one) => one.pipelineId === pipelineId)?.rate;
  if (ofPipeline !== undefined) return { rate: ofPipeline, rateSource: 'pipeline' };
  const ofTier = terms.tierRates[tier];
  return ofTier === undefined ? { rate: terms.rate ?? 0, rateSource: 'plan' } : { rate: ofTier, rateSource: 'tier' };
}

const percentOf = (basisMinor: number, rate: number) => ({ amountMinor: shareOf(basisMinor, rate), basisMinor, rate });

/** A percentage of an amount in minor units, rounded half up; exact, as rates have at most two decimals. */
export function shareOf(minor: number, percent: number): number {
  const hundredths = BigInt(Math.round(percent * 100));
  return Number((BigInt(minor) * hundredths + 5_000n) / 10_000n);
}

/** Limits a commission to the cap of the plan. Currencies are not converted: a person decides about another one. */
function capped(share: Share, { cap }: Terms) {
  if (!cap) return share;
  const { amount, currency } = cap;
  const max = toMinor(amount, currency);
  if (share.currency === currency) return { ...share, amountMinor: Math.min(share.amountMinor, max) };
  const reason = `The cap of the plan, ${fromMinor(max, currency)} ${currency}, has another currency`;
  return { ...share, status: 'on_hold', heldBy: 'cap', reason };
}
