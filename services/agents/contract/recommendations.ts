import { event, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const recommendedActions = ['call', 'email', 'create_task', 'convert', 'nurture'] as const;
const statuses = ['pending', 'accepted', 'dismissed'] as const;

const RecommendationStatus = z.enum(statuses, { error: `Must be one of ${statuses.join(', ')}` });

export const Recommendation = z.object({
  id: id('recommendation'),
  executionId: id('execution'),
  agentId: id('agent'),
  leadId: id('lead'),
  action: z.enum(recommendedActions),
  reason: z.string(),
  confidence: z.number().min(0).max(1),
  /** What it is based on. */
  factors: z.array(z.object({ name: z.string(), value: z.string() })),
  status: RecommendationStatus,
  allowedTransitions: z.array(RecommendationStatus),
  /** Why it was dismissed. */
  dismissReason: text(500).nullable(),
  decidedBy: id('user').nullable(),
  decidedAt: timestamp().nullable(),
  createdAt: timestamp(),
});

export const recommendationDecided = event('agent.recommendation_decided', {
  description: 'A recommendation is accepted or dismissed',
  action: 'recommendation.decide',
  target: 'recommendation',
  data: z.object({ recommendationId: id('recommendation'), leadId: id('lead'), status: RecommendationStatus }),
  record: Recommendation,
});

const withId = z.object({ id: id('recommendation') });
const decided = { already_decided: [409, 'The recommendation has been decided already'] } as const;

export const recommendations = operations({
  listRecommendations: {
    method: 'GET',
    path: '/v1/agents/recommendations',
    permission: 'agents:read',
    also: ['leads:read'],
    summary: 'List recommendations',
    description: 'Those for leads that the caller may read.',
    query: listQuery(['createdAt', 'confidence'])
      .omit({ search: true })
      .extend({ leadId: id('lead').optional(), status: RecommendationStatus.optional() }),
    reply: page(Recommendation),
    message: 'Recommendations retrieved',
  },
  acceptRecommendation: {
    method: 'POST',
    path: '/v1/agents/recommendations/:id/accept',
    permission: 'agents:write',
    also: ['leads:read'],
    summary: 'Accept a recommendation',
    description: 'Records the decision; what was recommended is done where it belongs, such as POST /v1/tasks.',
    params: withId,
    reply: Recommendation,
    message: 'Recommendation accepted',
    emits: [recommendationDecided],
    errors: decided,
  },
  dismissRecommendation: {
    method: 'POST',
    path: '/v1/agents/recommendations/:id/dismiss',
    permission: 'agents:write',
    also: ['leads:read'],
    summary: 'Dismiss a recommendation',
    params: withId,
    body: z.object({ reason: text(500).nullish() }),
    reply: Recommendation,
    message: 'Recommendation dismissed',
    emits: [recommendationDecided],
    errors: decided,
  },
});
