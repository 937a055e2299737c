import type { Emit, Schedule } from '@tandem/events';
import { type partnerTierChanged, partnerTiers, partnerUpdated, type TierEvaluation } from '@tandem/partner-contract';
import { diff, fail } from '@tandem/service';
import type { z } from 'zod';
import type { Partner as PartnerRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { asPartner, type PartnerRecord } from '../partners/partner.ts';
import { notifyOwnersJob } from '../portal-users/notify-owners.job.ts';
import { recordChange } from './change-tier.ts';
import type { Completion } from './completions.ts';
import { progressOf } from './tier-figures.ts';
import { reviewTierJob } from './tier-jobs.ts';
import { hasRequirements, type TierName, type TierRecord } from './tier-rules.ts';

const dayMs = 86_400_000;
// Longer than the clocks of two instances differ.
const nearlyDueMs = 60_000;

interface Inside {
  tx: Tx;
  emit: Emit<typeof partnerTierChanged | typeof partnerUpdated>;
  schedule: Schedule;
}

/** The terms of an evaluation. They are read before the partner is locked, because training is asked for them. */
export interface Terms {
  /** How often the partner had been evaluated before the tiers and completions were read. */
  evaluations: number;
  tiers: readonly TierRecord[];
  /** Those of this partner. */
  completions: readonly Completion[];
}

/**
 * Locks a partner for its evaluation. The lock admits inserts that refer to the partner, such as commissions, because a
 * job holds those of many partners.
 */
export function lockForReview(tx: Tx, id: number): Promise<PartnerRow | null> {
  return tx.partner.lockFirst({ where: { id }, sharesKey: true });
}

/**
 * Whether another evaluation was stored since the terms of this one were read: it can have newer tiers or completions, and
 * no event follows that would correct the result.
 */
export function isOvertaken({ tierEvaluations }: PartnerRow, { evaluations }: Pick<Terms, 'evaluations'>): boolean {
  return tierEvaluations !== evaluations;
}

/** Evaluates the tier of a locked, approved partner, and schedules the next evaluation that time alone can change. */
export async function evaluateTier(
  inside: Inside,
  row: PartnerRow,
  { tiers, completions }: Omit<Terms, 'evaluations'>,
): Promise<z.output<typeof TierEvaluation>> {
  const { tx, emit, schedule } = inside;
  const now = new Date();
  const before = asPartner(row);
  const valid = completions.filter(({ validUntil }) => validUntil === null || validUntil > now);
  const progress = await progressOf(tx, row.id, tiers, new Set(valid.map(({ courseId }) => courseId)));
  const qualifiedTier = progress.findLast(({ met }) => met)?.tier ?? 'bronze';
  const next = before.tierLocked
    ? { tier: before.tier, tierGraceUntil: null }
    : nextTier(before, { qualifiedTier, tiers, now });
  const after = await storeTier(tx, before, next);
  const changes = diff(before, next).audit;
  if (after.tier !== before.tier)
    await recordChange(inside, after, { from: before.tier, cause: 'evaluation', createdBy: null, changes });
  else if (after !== before) emit(partnerUpdated, { data: { partnerId: before.id }, record: after, changes });
  const { tierGraceUntil } = next;
  if (tierGraceUntil && !before.tierGraceUntil)
    await schedule(notifyOwnersJob, [{ partnerId: before.id, notice: 'tier_grace', at: tierGraceUntil }]);
  const needed = before.tierLocked ? null : nextReview(next.tierGraceUntil, { tiers, valid, now });
  const kept = needed && isEarlyEnough(row.tierReviewAt, { needed, now });
  const reviewAt = kept ? row.tierReviewAt : needed;
  await tx.sql`UPDATE partner SET tier_review_at = ${reviewAt}, tier_evaluations = tier_evaluations + 1
    WHERE id = ${row.id}`;
  if (reviewAt && !kept) await schedule(reviewTierJob, [{ partnerId: row.id, reviewAt }], reviewAt);
  return {
    partnerId: before.id,
    tier: after.tier,
    previousTier: before.tier,
    qualifiedTier,
    tierLocked: before.tierLocked,
    tierGraceUntil: next.tierGraceUntil,
    progress,
    evaluatedAt: now,
  };
}

interface Result {
  tier: TierName;
  tierGraceUntil: Date | null;
}

/**
 * A partner moves up at once, and down when the grace period of its tier is over. A tier without requirements, which a
 * person has set, is never lost.
 */
function nextTier(
  { tier, tierGraceUntil }: PartnerRecord,
  { qualifiedTier, tiers, now }: { qualifiedTier: TierName; tiers: readonly TierRecord[]; now: Date },
): Result {
  const current = tiers.find((one) => one.tier === tier);
  if (rankOf(qualifiedTier) >= rankOf(tier)) return { tier: qualifiedTier, tierGraceUntil: null };
  if (!current || !hasRequirements(current)) return { tier, tierGraceUntil: null };
  const until = tierGraceUntil ?? new Date(now.getTime() + current.graceDays * dayMs);
  return until <= now ? { tier: qualifiedTier, tierGraceUntil: null } : { tier, tierGraceUntil: until };
}

const rankOf = (tier: TierName) => partnerTiers.indexOf(tier);

/**
 * When the result can change without an event: a grace period or completion ends, leads and deals leave the window, or a
 * course gets other days of validity. The last two are found once a day.
 */
function nextReview(
  graceUntil: Date | null,
  { tiers, valid, now }: { tiers: readonly TierRecord[]; valid: readonly Completion[]; now: Date },
): Date | null {
  const dates = [
    ...(graceUntil ? [graceUntil] : []),
    ...valid.flatMap(({ validUntil }) => validUntil ?? []),
    ...(tiers.some(hasRequirements) ? [new Date(now.getTime() + dayMs)] : []),
  ];
  return dates.length ? new Date(Math.min(...dates.map((date) => date.getTime()))) : null;
}

/**
 * Whether the scheduled evaluation can stay, so that each event of a busy partner does not leave another waiting job. One
 * that is nearly due may be running already, and would find its own time unchanged.
 */
function isEarlyEnough(scheduled: Date | null, { needed, now }: { needed: Date; now: Date }): boolean {
  return scheduled !== null && scheduled <= needed && scheduled.getTime() - now.getTime() > nearlyDueMs;
}

/** Stores the result in the partner; returns the same record if nothing changes. */
async function storeTier(tx: Tx, before: PartnerRecord, next: Result): Promise<PartnerRecord> {
  if (diff(before, next).isEmpty) return before;
  const [row] = await tx.partner.updateManyAndReturn({
    where: { id: before.id },
    data: { ...next, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  return asPartner(row);
}
