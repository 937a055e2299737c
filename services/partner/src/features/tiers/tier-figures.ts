import { fromMinor } from '@tandem/contract';
import type { TierProgress, TierRequirement } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { hasRequirements, type TierRecord } from './tier-rules.ts';

type Progress = z.output<typeof TierProgress>;
type Requirement = z.output<typeof TierRequirement>;

/** How far a partner is in each tier with requirements, lowest first. */
export async function progressOf(
  tx: Tx,
  partnerId: number,
  tiers: readonly TierRecord[],
  completed: ReadonlySet<number>,
): Promise<Progress[]> {
  const progress: Progress[] = [];
  for (const tier of tiers.filter(hasRequirements)) {
    const figures = await figuresOf(tx, partnerId, tier);
    const requirements = [...reached(tier, figures), ...coursesOf(tier, completed)];
    progress.push({ tier: tier.tier, met: requirements.every(({ met }) => met), requirements });
  }
  return progress;
}

interface Figures {
  referrals: number;
  wonDeals: number;
  wonMinor: number;
  recruits: number;
}

/** The figures of a partner in the days that the tier counts. Won deals are those that are not reopened. */
async function figuresOf(tx: Tx, partnerId: number, { thresholds, windowDays }: TierRecord): Promise<Figures> {
  const currency = thresholds.wonValue?.currency ?? null;
  const [figures] = await tx.sql<Figures>`
    WITH since AS (
      SELECT coalesce(now() - make_interval(days => ${windowDays}::int), '-infinity'::timestamptz) AS at)
    SELECT
      (SELECT count(*) FROM referral, since WHERE partner_id = ${partnerId} AND status = 'attributed'
        AND occurred_at >= since.at) AS referrals,
      (SELECT count(*) FROM deal, since WHERE partner_id = ${partnerId} AND won_at >= since.at) AS "wonDeals",
      (SELECT coalesce(sum(value_minor), 0)::bigint FROM deal, since WHERE partner_id = ${partnerId}
        AND won_at >= since.at AND currency = ${currency}::text) AS "wonMinor",
      (SELECT count(*) FROM partner WHERE parent_partner_id = ${partnerId} AND status = 'approved') AS recruits`;
  if (!figures) throw new Error('A SELECT without conditions returns a row');
  return figures;
}

function reached({ thresholds }: TierRecord, figures: Figures): Requirement[] {
  const { referrals, wonDeals, wonValue, recruits } = thresholds;
  const count = (kind: Requirement['kind'], required: number | null, actual: number) =>
    required === null ? [] : [{ kind, required, actual, currency: null, courseId: null, met: actual >= required }];
  const wonAmount = wonValue && fromMinor(figures.wonMinor, wonValue.currency);
  return [
    ...count('referrals', referrals, figures.referrals),
    ...count('won_deals', wonDeals, figures.wonDeals),
    ...count('won_value', wonValue?.amount ?? null, wonAmount ?? 0).map((one) => ({
      ...one,
      currency: wonValue?.currency ?? null,
    })),
    ...count('recruits', recruits, figures.recruits),
  ];
}

function coursesOf({ requiredCourseIds }: TierRecord, completed: ReadonlySet<number>): Requirement[] {
  return requiredCourseIds.map((courseId) => {
    const met = completed.has(courseId);
    return { kind: 'course', required: 1, actual: met ? 1 : 0, currency: null, courseId, met };
  });
}
