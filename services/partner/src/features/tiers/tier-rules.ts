import { fromMinor, toMinor } from '@tandem/contract';
import { defaultGraceDays, type PartnerTiers, partnerTiers, type Tier } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { TierRule } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { PartnerRecord } from '../partners/partner.ts';

export type TierName = PartnerRecord['tier'];
export type TierRecord = z.output<typeof Tier>;

const noThresholds = { referrals: null, wonDeals: null, wonValue: null, recruits: null };

/** The tiers of the tenant, lowest first. Until they are set, they have no requirements. */
export async function readTiers(tx: Tx): Promise<z.output<typeof PartnerTiers>> {
  const rows = await tx.tierRule.findMany();
  const tiers = partnerTiers.map((tier) => {
    const row = rows.find((one) => one.tier === tier);
    return row ? asTier(tier, row) : emptyTier(tier);
  });
  return { tiers, version: rows[0]?.version ?? 1, updatedAt: rows[0]?.updatedAt ?? null };
}

/** Replaces the tiers of the tenant. */
export async function writeTiers(tx: Tx, tiers: TierRecord[], version: number): Promise<void> {
  const updatedAt = new Date();
  await tx.tierRule.deleteMany({ where: { tier: { in: [...partnerTiers] } } });
  await tx.tierRule.createMany({
    data: tiers.map(({ thresholds: { wonValue, ...counts }, ...tier }) => ({
      ...tier,
      ...counts,
      wonMinor: wonValue && toMinor(wonValue.amount, wonValue.currency),
      wonCurrency: wonValue?.currency ?? null,
      version,
      updatedAt,
    })),
  });
}

/** A tier without requirements is set by people only. */
export function hasRequirements({ thresholds, requiredCourseIds }: TierRecord): boolean {
  return requiredCourseIds.length > 0 || Object.values(thresholds).some((threshold) => threshold !== null);
}

function emptyTier(tier: TierName): TierRecord {
  return {
    tier,
    thresholds: noThresholds,
    windowDays: null,
    requiredCourseIds: [],
    graceDays: defaultGraceDays,
    benefits: [],
  };
}

function asTier(tier: TierName, row: TierRule): TierRecord {
  const { referrals, wonDeals, wonMinor, wonCurrency, recruits, windowDays, requiredCourseIds, graceDays, benefits } =
    row;
  const wonValue =
    wonMinor === null || wonCurrency === null
      ? null
      : { amount: fromMinor(wonMinor, wonCurrency), currency: wonCurrency };
  const thresholds = { referrals, wonDeals, wonValue, recruits };
  return { tier, thresholds, windowDays, requiredCourseIds, graceDays, benefits };
}
