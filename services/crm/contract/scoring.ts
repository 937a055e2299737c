import {
  event,
  flag,
  id,
  LeadCondition,
  listQuery,
  name,
  operations,
  page,
  text,
  timestamp,
  writableCondition,
} from '@tandem/contract';
import { z } from 'zod';
import { Lead, leadScoreThresholdCrossed, leadUpdated, scoreCauses } from './lead.ts';

/**
 * The types of engagement events that rules can count. The same as those of analytics, whose contract cannot be imported
 * here.
 */
export const scoredEventTypes = [
  'email_open',
  'link_click',
  'email_reply',
  'email_bounce',
  'email_complaint',
  'email_sent',
  'sms_sent',
  'form_submission',
  'page_visit',
] as const;
export const scoringGroups = ['fit', 'engagement'] as const;

export const scoringRulesMax = 100;

export const ScoringGroup = z.enum(scoringGroups).meta({
  description: 'The part of the score: `fit` for properties of the lead, `engagement` for its behaviour',
  examples: ['engagement'],
});
export const ScoredEventType = z.enum(scoredEventTypes).meta({
  description: 'The engagement event that gives the points, once per event',
  examples: ['email_reply'],
});
const within = (min: number, max: number, description: string, examples: number[]) =>
  z
    .int({ error: `Must be a whole number from ${min} to ${max}` })
    .min(min, `Must be at least ${min}`)
    .max(max, `Must be at most ${max}`)
    .meta({ description, examples });
const Points = within(-100, 100, 'The points that the rule adds; negative points lower the score', [15]).refine(
  (points) => points !== 0,
  { error: 'Must not be 0' },
);
const MaxPoints = within(1, 100, 'The most points, without sign, that the events of a lead give together', [45]);
const DecayDays = within(1, 365, 'The days in which the points of an event fade, in equal steps, to 0', [30]);

export const ScoringRule = z.object({
  id: id('scoring_rule'),
  name: name().meta({ examples: ['Replied to an e-mail'] }),
  group: ScoringGroup,
  field: LeadCondition.shape.field.nullable().meta({ examples: [null] }),
  operator: LeadCondition.shape.operator.nullable().meta({ examples: [null] }),
  value: LeadCondition.shape.value.meta({ examples: [null] }),
  eventType: ScoredEventType.nullable(),
  points: Points,
  maxPoints: MaxPoints.nullable(),
  decayDays: DecayDays.nullable(),
  active: z.boolean().meta({ description: 'Whether the rule counts', examples: [true] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const recountJobId = id('job')
  .nullable()
  .describe(
    'The background job that recalculates the scores of all leads; GET /v1/jobs/:id returns its progress. Null if the change affects no score.',
  );

/** A rule with the job that its change has started. */
export const ChangedScoringRule = ScoringRule.extend({ recountJobId });

const ruleEvent = { target: 'scoring_rule', data: z.object({ scoringRuleId: id('scoring_rule') }) } as const;

export const scoringRuleCreated = event('scoring_rule.created', {
  ...ruleEvent,
  description: 'A scoring rule is created',
  action: 'scoring_rule.create',
  record: ScoringRule,
});
export const scoringRuleUpdated = event('scoring_rule.updated', {
  ...ruleEvent,
  description: 'A scoring rule is updated',
  action: 'scoring_rule.update',
  record: ScoringRule,
});
export const scoringRuleDeleted = event('scoring_rule.deleted', {
  ...ruleEvent,
  description: 'A scoring rule is deleted',
  action: 'scoring_rule.delete',
  record: ScoringRule,
});

/** The score of a lead with its parts. */
export const LeadScore = z.object({
  leadId: id('lead'),
  score: Lead.shape.score,
  pinned: z.boolean().meta({
    description: 'Whether the score was set by hand. Scoring rules do not change a pinned score.',
    examples: [false],
  }),
  components: z
    .array(
      z.object({
        group: ScoringGroup,
        ruleId: id('scoring_rule'),
        points: z.number().meta({ description: 'The points of the rule', examples: [15] }),
      }),
    )
    .describe(
      'The points of each rule that counts for the lead; empty for a pinned score. Their sum is limited to 0–100.',
    ),
  scoredAt: timestamp().nullable().describe('When the score was last calculated or set'),
  version: z.int().describe('The version of the lead'),
  updatedAt: timestamp().describe('When the lead was last changed'),
});

export const LeadScoreChange = z.object({
  score: Lead.shape.score.describe('The score after the change'),
  delta: z.number().meta({ description: 'The difference to the score before', examples: [15] }),
  cause: z.enum(scoreCauses).meta({ description: 'What changed the score', examples: ['engagement'] }),
  ruleId: id('scoring_rule').nullable().describe('The rule whose points changed; null if there were several, or none'),
  reason: text(500)
    .nullable()
    .meta({ description: 'The reason that was sent with the change', examples: [null] }),
  byUserId: id('user').nullable().describe('The user who set the score'),
  createdAt: timestamp().describe('When the score changed'),
});

const withId = z.object({ id: id('lead') });
const withRuleId = z.object({ id: id('scoring_rule') });
const scoreEvents = [leadUpdated, leadScoreThresholdCrossed];

export const leadScores = operations({
  getLeadScore: {
    method: 'GET',
    path: '/v1/leads/:id/score',
    permission: 'leads:read',
    narrows: true,
    summary: 'Retrieve the score of a lead',
    params: withId,
    reply: LeadScore,
    message: 'Score retrieved',
  },
  setLeadScore: {
    method: 'POST',
    path: '/v1/leads/:id/score',
    permission: 'leads:write',
    narrows: true,
    summary: 'Set or release the score of a lead',
    description:
      'A score that you set is pinned: scoring rules do not change it. `pinned: false` without a score releases it, and the rules calculate it at once. `pinned: true` without a score pins the current one.',
    params: withId,
    body: z
      .object({
        score: Lead.shape.score.nullish(),
        pinned: LeadScore.shape.pinned.optional(),
        reason: text(500)
          .nullish()
          .meta({ description: 'The reason for the change', examples: ['Met at the fair'] }),
      })
      .meta({ examples: [{ score: 70, reason: 'Met at the fair' }] }),
    reply: LeadScore,
    message: 'Score set',
    emits: scoreEvents,
  },
  recalculateLeadScore: {
    method: 'POST',
    path: '/v1/leads/:id/score/recalculate',
    permission: 'leads:write',
    narrows: true,
    summary: 'Recalculate the score of a lead',
    description:
      'Calculates the score by the current rules. A pinned score, and a score while no rule is active, stays as it is.',
    params: withId,
    reply: LeadScore,
    message: 'Score recalculated',
    emits: scoreEvents,
  },
  listLeadScoreHistory: {
    method: 'GET',
    path: '/v1/leads/:id/score/history',
    permission: 'leads:read',
    narrows: true,
    summary: 'List the changes of the score of a lead',
    description: 'Changes are kept for a year.',
    params: withId,
    query: listQuery(['createdAt']).omit({ search: true }),
    reply: page(LeadScoreChange),
    message: 'Score history retrieved',
  },
});

const writable = ScoringRule.pick({ name: true, points: true }).extend({
  group: ScoringGroup.optional().describe(
    'By default `fit` for a rule with `field`, `engagement` for one with `eventType`',
  ),
  field: writableCondition.shape.field.nullish(),
  operator: writableCondition.shape.operator.nullish(),
  value: writableCondition.shape.value,
  eventType: ScoredEventType.nullish(),
  maxPoints: MaxPoints.nullish(),
  decayDays: DecayDays.nullish(),
});
const active = ScoringRule.shape.active;

const recounts =
  'A change that affects scores starts a background job that recalculates all leads without a pinned score; `recountJobId` names it. Changes during that job restart it.';

export const scoringRules = operations({
  createScoringRule: {
    method: 'POST',
    path: '/v1/leads/scoring-rules',
    permission: 'config:write',
    summary: 'Create a scoring rule',
    description: `A rule has either \`field\`, \`operator\` and \`value\`, or \`eventType\`. The score of a lead is the sum of the points of all active rules, limited to 0–100. With \`decayDays\`, an event that is \`d\` days old (in UTC days) counts \`points × max(0, 1 − d / decayDays)\`. ${recounts}`,
    body: writable.extend({ active: active.default(true) }).meta({
      examples: [{ name: 'Replied to an e-mail', eventType: 'email_reply', points: 15, maxPoints: 45, decayDays: 30 }],
    }),
    reply: ChangedScoringRule,
    status: 201,
    message: 'Scoring rule created',
    emits: [scoringRuleCreated],
    errors: { too_many_rules: [409, `There are ${scoringRulesMax} scoring rules already; delete one`] },
  },
  listScoringRules: {
    method: 'GET',
    path: '/v1/leads/scoring-rules',
    permission: 'config:read',
    summary: 'List scoring rules',
    query: listQuery(['createdAt', 'name'])
      .omit({ search: true })
      .extend({
        group: ScoringGroup.optional(),
        active: flag().describe('Return only active rules (`true`), or only others').optional(),
      }),
    reply: page(ScoringRule),
    message: 'Scoring rules retrieved',
  },
  getScoringRule: {
    method: 'GET',
    path: '/v1/leads/scoring-rules/:id',
    permission: 'config:read',
    summary: 'Retrieve a scoring rule',
    params: withRuleId,
    reply: ScoringRule,
    message: 'Scoring rule retrieved',
  },
  updateScoringRule: {
    method: 'PATCH',
    path: '/v1/leads/scoring-rules/:id',
    permission: 'config:write',
    summary: 'Update a scoring rule',
    description: `Changes the given fields. ${recounts}`,
    params: withRuleId,
    body: writable
      .partial()
      .extend({ active: active.optional() })
      .meta({ examples: [{ points: 20 }] }),
    reply: ChangedScoringRule,
    message: 'Scoring rule updated',
    emits: [scoringRuleUpdated],
  },
  deleteScoringRule: {
    method: 'DELETE',
    path: '/v1/leads/scoring-rules/:id',
    permission: 'config:delete',
    summary: 'Delete a scoring rule',
    description: `${recounts} After the last active rule, scores stay as they are.`,
    params: withRuleId,
    reply: z.object({
      id: id('scoring_rule'),
      deleted: z.literal(true).describe('Always true'),
      recountJobId,
    }),
    message: 'Scoring rule deleted',
    emits: [scoringRuleDeleted],
  },
});
