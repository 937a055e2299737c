import { PartnerTier } from '@tandem/partner-contract';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';

export type Tier = z.output<typeof PartnerTier>;

/** Commission plan of a tenant. */
export interface Plan {
  id: number;
  version: number;
  tierRates: Record<Tier, number>;
  holdDays: number;
}

// Percentages with at most two decimals, on which `shareOf` relies.
const TierRates = z.record(PartnerTier, z.number().min(0).max(100).multipleOf(0.01));

const defaultName = 'Default';
const defaultRates: Record<Tier, number> = { bronze: 5, silver: 7.5, gold: 10, platinum: 12.5 };

/** Creates the default plan of a tenant: a percentage of each won deal by partner tier. */
export async function makeDefaultPlan(tx: Tx): Promise<void> {
  await tx.commissionPlan.create({
    data: {
      name: defaultName,
      trigger: 'opportunity.won',
      type: 'percent',
      tierRates: defaultRates,
      holdDays: 0,
    },
  });
}

/** Loads the commission plan of the tenant. */
export async function readPlan(tx: Tx): Promise<Plan> {
  const plan = await tx.commissionPlan.findFirst({ where: { name: defaultName } });
  // The first request of a tenant creates the plan, so it exists before any partner.
  if (!plan) throw new Error('The tenant has no commission plan');
  return { ...plan, tierRates: TierRates.parse(plan.tierRates) };
}

/** A percentage of an amount in minor units, rounded half up; exact, as rates have at most two decimals. */
export function shareOf(minor: number, percent: number): number {
  const hundredths = BigInt(Math.round(percent * 100));
  return Number((BigInt(minor) * hundredths + 5_000n) / 10_000n);
}
