import { event, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { decision, exampleDecision } from './decision.ts';

export const recommendedActions = ['call', 'email', 'create_task', 'convert', 'nurture'] as const;
const statuses = ['pending', 'accepted', 'dismissed'] as const;

export const RecommendationStatus = z
  .enum(statuses, { error: `Must be one of ${statuses.join(', ')}` })
  .describe('Whether the recommendation waits or was decided');

export const Recommendation = z.object({
  id: id('recommendation'),
  executionId: id('execution'),
  agentId: id('agent'),
  leadId: id('lead').describe('The lead that the recommendation is about'),
  action: z.enum(recommendedActions).describe('The recommended step'),
  reason: z
    .string()
    .meta({ description: 'Why it is recommended', examples: ['The lead is warm and can be reached by phone'] }),
  confidence: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'How certain the agent is, from 0 to 1', examples: [0.92] }),
  factors: z
    .array(
      z.object({
        name: z.string().meta({ examples: ['score'] }),
        value: z.string().meta({ description: 'The value of the factor, as text', examples: ['72'] }),
      }),
    )
    .describe('What the recommendation is based on'),
  status: RecommendationStatus,
  allowedTransitions: z.array(RecommendationStatus).meta({
    description: 'The statuses that this recommendation can change to now',
    examples: [['accepted', 'dismissed']],
  }),
  dismissReason: text(500)
    .nullable()
    .meta({ description: 'Why it was dismissed', examples: [null] }),
  ...decision,
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
    description: 'Returns recommendations for leads that the caller may read.',
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
    description: 'Records the decision. Carry out the recommended step yourself, for instance with POST /v1/tasks.',
    params: withId,
    reply: Recommendation,
    example: { status: 'accepted', allowedTransitions: [], ...exampleDecision },
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
    description: 'Records the decision. Nothing else changes.',
    params: withId,
    body: z.object({
      reason: text(500)
        .nullish()
        .meta({ description: 'Why it is dismissed', examples: ['A colleague is in touch with them'] }),
    }),
    reply: Recommendation,
    example: {
      status: 'dismissed',
      allowedTransitions: [],
      dismissReason: 'A colleague is in touch with them',
      ...exampleDecision,
    },
    message: 'Recommendation dismissed',
    emits: [recommendationDecided],
    errors: decided,
  },
});
