import { event, id, listQuery, operations, page, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { AgentAction, EffectError, EffectStatus } from './actions.ts';
import { decision, exampleDecision } from './decision.ts';

export const recommendedActions = ['call', 'email', 'create_task', 'change_status', 'convert', 'nurture'] as const;
const statuses = ['pending', 'awaiting_approval', 'accepted', 'dismissed'] as const;

export const RecommendationStatus = z
  .enum(statuses)
  .describe('The status of the recommendation: `awaiting_approval` is decided by an approval');

export const recommendationStates = stateTable<(typeof statuses)[number]>('Recommendation', {
  created: { pending: 'run-execution.job' },
  changes: {
    pending: { accepted: 'acceptRecommendation', dismissed: 'dismissRecommendation' },
    awaiting_approval: {},
    accepted: {},
    dismissed: {},
  },
  automatic: {
    pending: { awaiting_approval: 'run-execution.job' },
    awaiting_approval: { accepted: 'approveExecution', dismissed: 'rejectExecution' },
  },
});

export const Recommendation = z.object({
  id: id('recommendation'),
  executionId: id('execution'),
  agentId: id('agent'),
  leadId: id('lead').describe('The lead that the recommendation concerns'),
  action: z.enum(recommendedActions).describe('The recommended step'),
  reason: z.string().meta({
    description: 'The reason for the recommendation',
    examples: ['The lead is warm (high score or referral) and has a phone number'],
  }),
  confidence: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'The confidence of the agent, from 0 to 1', examples: [0.92] }),
  factors: z
    .array(
      z.object({
        name: z.string().meta({ examples: ['score'] }),
        value: z.string().meta({ description: 'The value of the factor, as text', examples: ['72'] }),
      }),
    )
    .describe('The factors of the recommendation'),
  proposal: AgentAction.nullable().describe(
    'The action that accepting the recommendation performs; null for a recommendation of an earlier release',
  ),
  effect: z
    .object({
      status: EffectStatus,
      taskId: id('task').nullable().describe('The task that was created'),
      opportunityId: id('opportunity')
        .nullable()
        .meta({ description: 'The opportunity that was created', examples: [null] }),
      error: EffectError.nullable().meta({ examples: [null] }),
      performedAt: timestamp().nullable().describe('When the action was performed'),
    })
    .nullable()
    .meta({ description: 'The outcome of the action; null until the recommendation is accepted', examples: [null] }),
  status: RecommendationStatus,
  allowedTransitions: z.array(RecommendationStatus).meta({
    description: 'The statuses that this recommendation can currently change to',
    examples: [['accepted', 'dismissed']],
  }),
  dismissReason: text(500)
    .nullable()
    .meta({ description: 'The reason why the recommendation was dismissed', examples: [null] }),
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

export const recommendationPerformed = event('agent.recommendation_performed', {
  description: 'The action of an accepted recommendation is performed, or has failed',
  action: 'recommendation.perform',
  target: 'recommendation',
  data: z.object({ recommendationId: id('recommendation'), leadId: id('lead'), status: EffectStatus }),
  record: Recommendation,
});

const withId = z.object({ id: id('recommendation') });
const decided = { already_decided: [409, 'The recommendation is already decided'] } as const;

export const recommendations = operations({
  listRecommendations: {
    method: 'GET',
    path: '/v1/agents/recommendations',
    permission: 'agents:read',
    also: ['leads:read'],
    summary: 'List recommendations',
    description: 'Returns the recommendations for leads that the caller can read.',
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
    feature: 'agents',
    also: ['leads:read'],
    checksPermissions: true,
    summary: 'Accept a recommendation',
    description:
      'Performs the action in `proposal`, through the service that owns the record, and shows its outcome in `effect`. The caller needs the permission for the action: tasks:write for a task, leads:write for a status and tags, and also opportunities:write for a conversion.',
    params: withId,
    reply: Recommendation,
    example: { status: 'accepted', allowedTransitions: [], ...exampleDecision },
    message: 'Recommendation accepted',
    emits: [recommendationDecided],
    errors: { ...decided, action_not_permitted: [403, 'You do not have the permission for the action'] },
  },
  dismissRecommendation: {
    method: 'POST',
    path: '/v1/agents/recommendations/:id/dismiss',
    permission: 'agents:write',
    also: ['leads:read'],
    summary: 'Dismiss a recommendation',
    description: 'Records the decision without other effects.',
    params: withId,
    body: z.object({
      reason: text(500)
        .nullish()
        .meta({
          description: 'The reason why the recommendation was dismissed',
          examples: ['A colleague is already in contact with the lead'],
        }),
    }),
    reply: Recommendation,
    example: {
      status: 'dismissed',
      allowedTransitions: [],
      dismissReason: 'A colleague is already in contact with the lead',
      ...exampleDecision,
    },
    message: 'Recommendation dismissed',
    emits: [recommendationDecided],
    errors: decided,
  },
});
