import { Recommendation, recommendationDecided, recommendationStates } from '@tandem/agents-contract';
import { actingUserId, type Caller } from '@tandem/caller';
import { fail, transitionError } from '@tandem/service';
import type { z } from 'zod';
import type { Recommendation as RecommendationRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

type RecommendationRecord = z.output<typeof Recommendation>;
type Emitted = { data: z.output<(typeof recommendationDecided)['data']>; record: RecommendationRecord };

const columns = Recommendation.pick({ action: true, factors: true, status: true });

/** Converts a row to the contract's `Recommendation`. */
export function asRecommendation(row: RecommendationRow): RecommendationRecord {
  const checked = columns.parse(row);
  return { ...row, ...checked, allowedTransitions: recommendationStates.next(checked.status) };
}

/** Accepts or dismisses a recommendation once. The second of two concurrent decisions gets a 409. */
export async function decide(
  {
    tx,
    caller,
    emit,
  }: { tx: Tx; caller: Caller; emit: (event: typeof recommendationDecided, emitted: Emitted) => void },
  id: number,
  data: { status: 'accepted' | 'dismissed'; dismissReason?: string | null },
): Promise<RecommendationRecord> {
  const decided = { ...data, decidedBy: actingUserId(caller) ?? null, decidedAt: new Date() };
  const [row] = await tx.recommendation.updateManyAndReturn({ where: { id, status: 'pending' }, data: decided });
  if (!row) {
    const existing = await tx.recommendation.findFirst({ where: { id } });
    throw existing ? fail('already_decided', [transitionError(existing.status, [])]) : fail('not_found');
  }
  const record = asRecommendation(row);
  const { leadId, status } = record;
  emit(recommendationDecided, { data: { recommendationId: id, leadId, status }, record });
  return record;
}
