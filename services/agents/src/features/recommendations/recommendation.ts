import {
  type AgentActionValue,
  EffectError,
  EffectStatus,
  Recommendation,
  recommendationDecided,
  recommendationPerformed,
  recommendationStates,
} from '@tandem/agents-contract';
import { actingUserId, type Caller } from '@tandem/caller';
import { id } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import { fail, transitionError } from '@tandem/service';
import { z } from 'zod';
import type { Prisma, Recommendation as RecommendationRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { Performed, Refused } from '../actions/perform-action.ts';
import type { Advice } from '../executions/recommend.ts';

type RecommendationRecord = z.output<typeof Recommendation>;

/** Job that performs the action of an accepted recommendation. */
export const performJob = {
  name: 'perform-recommendation',
  payload: z.object({ recommendationId: id('recommendation') }),
};

const columns = Recommendation.pick({ action: true, factors: true, proposal: true, status: true }).extend({
  effect: EffectStatus.nullable(),
  effectError: EffectError.nullable(),
});

/** Converts a row to the contract's `Recommendation`. */
export function asRecommendation(row: RecommendationRow): RecommendationRecord {
  const { effect: status, effectError: error, ...checked } = columns.parse(row);
  const { taskId, opportunityId, performedAt } = row;
  return {
    ...row,
    ...checked,
    effect: status && { status, taskId, opportunityId, error, performedAt },
    allowedTransitions: recommendationStates.next(checked.status),
  };
}

/** The columns of a recommendation. */
export function toColumns({ proposal, ...advice }: Advice) {
  return { ...advice, proposal: { ...proposal } };
}

/** Stores recommendations. Earlier ones of the agent for the same lead that nobody has decided about are dismissed. */
export async function storeRecommendations(
  { tx, emit }: { tx: Tx; emit: Emit<typeof recommendationDecided> },
  recommendations: Prisma.RecommendationCreateManyInput[],
): Promise<void> {
  if (!recommendations.length) return;
  const pairs = recommendations.map(({ agentId, leadId }) => ({ agentId: Number(agentId), leadId: Number(leadId) }));
  const earlier = await tx.sql<{ id: number }>`SELECT recommendation.id FROM recommendation
    JOIN jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) AS pair ("agentId" bigint, "leadId" bigint)
      ON agent_id = "agentId" AND lead_id = "leadId"
    WHERE status = 'pending' ORDER BY recommendation.id FOR UPDATE OF recommendation`;
  const rows = await tx.recommendation.updateManyAndReturn({
    where: { id: { in: earlier.map(({ id }) => id) } },
    data: { status: 'dismissed', dismissReason: 'Replaced by a newer recommendation', decidedAt: new Date() },
  });
  await tx.recommendation.createMany({ data: recommendations });
  for (const record of rows.map(asRecommendation)) {
    const { id: recommendationId, leadId } = record;
    emit(recommendationDecided, { data: { recommendationId, leadId, status: 'dismissed' }, record });
  }
}

/** The outcome of an approved action whose execution was cancelled before it was performed. */
export const cancelledEffect = { error: { code: 'cancelled', message: 'The execution was cancelled' } };

/** Stores the outcome of the action of an accepted recommendation, and announces it. */
export async function recordEffect(
  { tx, emit }: { tx: Tx; emit: Emit<typeof recommendationPerformed> },
  of: { id: number } | { executionId: number },
  outcome: Performed | Refused,
): Promise<void> {
  const isRefused = 'error' in outcome;
  const [row] = await tx.recommendation.updateManyAndReturn({
    where: { ...of, effect: 'pending' },
    data: {
      effect: isRefused ? 'failed' : 'succeeded',
      performedAt: new Date(),
      ...(isRefused
        ? { effectError: { code: outcome.error.code, message: outcome.error.message } }
        : { taskId: outcome.taskId ?? null, opportunityId: outcome.opportunityId ?? null }),
    },
  });
  if (!row) return;
  const record = asRecommendation(row);
  const status = isRefused ? 'failed' : 'succeeded';
  emit(recommendationPerformed, { data: { recommendationId: row.id, leadId: row.leadId, status }, record });
}

/** Decides the recommendations of executions whose approval was decided, and announces it. */
export async function settleRecommendations(
  { tx, emit }: { tx: Tx; emit: Emit<typeof recommendationDecided> },
  executionIds: readonly number[],
  data: Pick<RecommendationRow, 'decidedBy' | 'decidedAt'> &
    ({ status: 'accepted'; proposal?: AgentActionValue } | { status: 'dismissed'; dismissReason: string | null }),
): Promise<void> {
  const { status, ...decided } = data;
  const rows = await tx.recommendation.updateManyAndReturn({
    where: { executionId: { in: [...executionIds] }, status: 'awaiting_approval' },
    data: { ...decided, status, ...(status === 'accepted' && { effect: 'pending' }) },
  });
  for (const record of rows.map(asRecommendation))
    emit(recommendationDecided, { data: { recommendationId: record.id, leadId: record.leadId, status }, record });
}

/** Accepts or dismisses a recommendation once. The second of two concurrent decisions gets a 409. */
export async function decide(
  { tx, caller, emit }: { tx: Tx; caller: Caller; emit: Emit<typeof recommendationDecided> },
  id: number,
  data: { status: 'accepted' | 'dismissed'; dismissReason?: string | null; effect?: 'pending' },
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
