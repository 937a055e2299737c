import type { Peers } from '../../handler.ts';
import type { TierRecord } from './tier-rules.ts';

/** A valid completion of a course, as training returns it. */
export type Completion = Awaited<ReturnType<Peers['training']['findPartnerCompletions']>>[number];

type As = Parameters<Peers['training']['findPartnerCompletions']>[0]['as'];

/** The valid completions of the courses that the tiers require, by partner. Training is asked only if there are any. */
export async function findCompletions(
  { training }: Pick<Peers, 'training'>,
  as: As,
  { tiers, partnerIds }: { tiers: readonly TierRecord[]; partnerIds: number[] },
): Promise<Map<number, Completion[]>> {
  const courseIds = [...new Set(tiers.flatMap(({ requiredCourseIds }) => requiredCourseIds))];
  if (!courseIds.length) return new Map();
  const completions = await training.findPartnerCompletions({ body: { partnerIds, courseIds }, as });
  return Map.groupBy(completions, ({ partnerId }) => partnerId);
}
