import { amount, currency, event, id, listQuery, operations, page, requiredText, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { PartnerTier, partnerTierChanged, partnerTiers, partnerUpdated, TierCause } from './partners.ts';

export const requirementKinds = ['referrals', 'won_deals', 'won_value', 'recruits', 'course'] as const;
export const tierLimits = { courses: 20, benefits: 20, windowDays: 3_650, graceDays: 365 } as const;
export const defaultGraceDays = 30;
const countMax = 1_000_000;

const wholeCount = `Must be a whole number from 1 to ${countMax}`;
const Count = z.int({ error: wholeCount }).min(1, wholeCount).max(countMax, wholeCount).nullable();
const windowText = `Must be a whole number from 1 to ${tierLimits.windowDays}`;
const graceText = `Must be a whole number from 0 to ${tierLimits.graceDays}`;

/** The figures that a partner must reach for a tier; null for figures without effect. */
export const TierThresholds = z.object({
  referrals: Count.meta({ description: 'The least number of attributed leads', examples: [10] }),
  wonDeals: Count.meta({
    description: 'The least number of won deals of these leads; deals without a value are not counted',
    examples: [3],
  }),
  wonValue: z
    .object({
      amount: amount().positive('Must be greater than 0'),
      currency: currency(),
    })
    .nullable()
    .meta({
      description: 'The least value of the won deals; deals in other currencies are not counted',
      examples: [{ amount: 50_000, currency: 'EUR' }],
    }),
  recruits: Count.meta({ description: 'The least number of approved partners with this parent', examples: [null] }),
});

/** A tier with its requirements: every threshold, and every course. */
export const Tier = z.object({
  tier: PartnerTier,
  thresholds: TierThresholds.describe('The figures that a partner must reach'),
  windowDays: z
    .int({ error: windowText })
    .min(1, windowText)
    .max(tierLimits.windowDays, windowText)
    .nullable()
    .meta({
      description: 'The last days of which leads and deals are counted; null for all. Recruits are always counted',
      examples: [365],
    }),
  requiredCourseIds: z
    .array(id('course'))
    .max(tierLimits.courses, `Must contain at most ${tierLimits.courses} courses`)
    .describe(
      'The courses that the partner must have completed, and whose completion is still valid. A draft can be required before it is published. A course that is deleted stays required until the tiers are set again',
    ),
  graceDays: z
    .int({ error: graceText })
    .min(0, graceText)
    .max(tierLimits.graceDays, graceText)
    .meta({
      description: 'The days that a partner keeps the tier after a requirement is not met any more',
      examples: [30],
    }),
  benefits: z
    .array(requiredText(200))
    .max(tierLimits.benefits, `Must contain at most ${tierLimits.benefits} benefits`)
    .meta({
      description: 'The benefits of the tier, which the partner portal shows',
      examples: [['A manager of your own']],
    }),
});

/** The four tiers of a tenant, lowest first. */
export const PartnerTiers = z.object({
  tiers: z.array(Tier).describe('The four tiers, lowest first'),
  version: z.int(),
  updatedAt: timestamp()
    .nullable()
    .meta({ description: 'When the tiers were last set; null if never', examples: ['2026-03-01T08:00:00.000Z'] }),
});

/** A requirement of a tier, and how far a partner is. */
export const TierRequirement = z.object({
  kind: z.enum(requirementKinds).describe('The figure, or that a course must be completed'),
  required: z.number().meta({ description: 'The least figure; 1 for a course', examples: [3] }),
  actual: z.number().meta({ description: 'The figure of the partner; 1 for a completed course', examples: [2] }),
  currency: currency()
    .nullable()
    .meta({ description: 'The currency of `won_value`; null for others', examples: [null] }),
  courseId: id('course').nullable().describe('The course; null for figures'),
  met: z.boolean().meta({ description: 'Whether the requirement is met', examples: [false] }),
});

/** A tier with requirements, and whether a partner meets them. */
export const TierProgress = z.object({
  tier: PartnerTier,
  met: z.boolean().meta({ description: 'Whether all requirements are met', examples: [false] }),
  requirements: z.array(TierRequirement).describe('The requirements of the tier'),
});

export const TierEvaluation = z.object({
  partnerId: id('partner'),
  tier: PartnerTier.describe('The tier after the evaluation'),
  previousTier: PartnerTier.describe('The tier before the evaluation'),
  qualifiedTier: PartnerTier.describe('The highest tier whose requirements are met; `bronze` has none'),
  tierLocked: z.boolean().meta({ description: 'Whether the tier is locked and stays', examples: [false] }),
  tierGraceUntil: timestamp()
    .nullable()
    .meta({ description: 'When the partner loses the tier; null while nothing is missing', examples: [null] }),
  progress: z.array(TierProgress).describe('The tiers with requirements, lowest first'),
  evaluatedAt: timestamp().describe('When the tier was evaluated'),
});

export const TierChange = z.object({
  id: id('tier_change'),
  partnerId: id('partner'),
  from: PartnerTier.nullable().meta({ description: 'The tier before; null for the first', examples: ['bronze'] }),
  to: PartnerTier.describe('The tier after'),
  cause: TierCause,
  createdBy: id('user').nullable().describe('The user who set the tier; null for evaluations'),
  createdAt: timestamp(),
});

export const partnerTiersUpdated = event('partner_tiers.updated', {
  description: 'The requirements or benefits of the tiers are set',
  action: 'partner_tiers.update',
  target: 'tenant',
  data: z.object({ version: z.int() }),
  record: PartnerTiers.extend({ id: id('tenant') }),
});

const withId = z.object({ id: id('partner') });
const { referrals, wonDeals, wonValue, recruits } = TierThresholds.shape;
const writableTier = Tier.extend({
  thresholds: z
    .object({
      referrals: referrals.default(null),
      wonDeals: wonDeals.default(null),
      wonValue: wonValue.default(null),
      recruits: recruits.default(null),
    })
    .prefault({})
    .describe('The figures that a partner must reach'),
  windowDays: Tier.shape.windowDays.default(null),
  requiredCourseIds: Tier.shape.requiredCourseIds.default([]),
  graceDays: Tier.shape.graceDays.default(defaultGraceDays),
  benefits: Tier.shape.benefits.default([]),
});

const none = { referrals: null, wonDeals: null, wonValue: null, recruits: null };
const exampleThresholds = {
  bronze: none,
  silver: { ...none, wonDeals: 1 },
  gold: { ...none, wonDeals: 5, wonValue: { amount: 50_000, currency: 'EUR' } },
  platinum: { ...none, wonDeals: 20, wonValue: { amount: 250_000, currency: 'EUR' }, recruits: 3 },
};
const exampleTiers = partnerTiers.map((tier) => ({
  tier,
  thresholds: exampleThresholds[tier],
  windowDays: 365,
  requiredCourseIds: [],
  graceDays: defaultGraceDays,
  benefits: tier === 'bronze' ? [] : [`The ${tier} badge`],
}));

export const tiers = operations({
  getPartnerTiers: {
    method: 'GET',
    path: '/v1/partners/tiers',
    permission: 'partners:read',
    summary: 'Retrieve the tiers',
    description: 'Returns the four tiers, also before they are set; without requirements, only people set them.',
    reply: PartnerTiers,
    message: 'Tiers retrieved',
  },
  setPartnerTiers: {
    method: 'PUT',
    path: '/v1/partners/tiers',
    permission: 'partners:manage',
    checksPermissions: true,
    summary: 'Set the tiers',
    description:
      'Replaces the requirements and benefits of all four tiers. `bronze` is the tier of every partner and has no requirements; another tier without requirements is set by people only. All approved partners are evaluated afterwards. Commissions that exist keep their rate. Required courses need the permission `training:read`.',
    body: z
      .object({ tiers: z.array(writableTier).max(partnerTiers.length, 'Must contain each tier once') })
      .meta({ examples: [{ tiers: exampleTiers }] }),
    reply: PartnerTiers,
    message: 'Tiers set',
    emits: [partnerTiersUpdated],
  },
  evaluatePartnerTier: {
    method: 'POST',
    path: '/v1/partners/:id/tier/evaluate',
    permission: 'partners:manage',
    summary: 'Evaluate the tier of a partner',
    description:
      'Moves the partner to the highest tier whose requirements are met. A tier is lost at the end of its grace period, which begins with the evaluation that finds a requirement not met. Partners are also evaluated when a lead is attributed, a deal is won or reopened, a course is completed, a recruit is approved, and once a day.',
    params: withId,
    reply: TierEvaluation,
    message: 'Tier evaluated',
    emits: [partnerTierChanged, partnerUpdated],
    errors: { partner_not_approved: [409, 'The partner is not approved'] },
  },
  listTierChanges: {
    method: 'GET',
    path: '/v1/partners/:id/tier-history',
    permission: 'partners:read',
    summary: 'List the tiers that a partner had',
    params: withId,
    query: listQuery(['createdAt']).omit({ search: true }),
    reply: page(TierChange),
    message: 'Tier changes retrieved',
  },
});
