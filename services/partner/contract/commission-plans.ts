import {
  amount,
  currency,
  event,
  id,
  listQuery,
  name,
  operations,
  page,
  sharedErrors,
  stateTable,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import { partnerTiers } from './partners.ts';

export const planTriggers = ['opportunity.won', 'lead.qualified', 'manual'] as const;
export const planTypes = ['percent', 'flat'] as const;
export const planStatuses = ['active', 'archived'] as const;
export const planLimits = {
  levels: 10,
  pipelines: 50,
  holdDays: 365,
  maxMonths: 120,
  attributionDays: 365,
  ownSales: 1_000_000,
} as const;
export const defaultAttributionDays = 90;

export const PlanTrigger = z
  .enum(planTriggers)
  .describe('What earns the commission: a won deal, a qualified lead, or a commission that a person records');
export const PlanType = z.enum(planTypes).describe('Whether the commission is a share of the deal or a fixed amount');
export const PlanStatus = z.enum(planStatuses).describe('The status of the plan');

export const planStates = stateTable<(typeof planStatuses)[number]>('CommissionPlan', {
  created: { active: 'createCommissionPlan' },
  changes: { active: { archived: 'archiveCommissionPlan' }, archived: {} },
});

const rateText = 'Must be a number from 0 to 100';
// At most two decimals, so that a share is exact.
const Percentage = z
  .number({ error: rateText })
  .min(0, rateText)
  .max(100, rateText)
  .multipleOf(0.01, 'Must have at most 2 decimals');

function wholeNumber(min: number, max: number) {
  const error = `Must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, error).max(max, error);
}

/** A level above the partner who referred the lead. */
export const PlanLevel = z.object({
  level: wholeNumber(2, planLimits.levels).meta({
    description: 'The level: 2 for the parent of the partner who referred the lead',
    examples: [2],
  }),
  rate: Percentage.meta({
    description: 'The rate in percent of the value of the deal, or of the amount of a flat plan',
    examples: [2],
  }),
  minOwnSales: wholeNumber(0, planLimits.ownSales)
    .meta({
      description: 'The least number of won deals of leads that the partner of this level referred; 0 for none',
      examples: [1],
    })
    .default(0),
});

/** What a plan pays. A change makes a new version; commissions keep theirs. */
export const PlanTerms = z.object({
  type: PlanType,
  rate: Percentage.nullable().meta({
    description: 'The rate in percent, unless the pipeline or the tier has its own; null in a flat plan',
    examples: [5],
  }),
  amount: amount()
    .positive('Must be greater than 0')
    .nullable()
    .meta({ description: 'The commission of a flat plan, in major units; null in a percent plan', examples: [null] }),
  currency: currency()
    .nullable()
    .meta({ description: 'The currency of `amount`; null in a percent plan', examples: [null] }),
  tierRates: z
    .object(
      Object.fromEntries(partnerTiers.map((tier) => [tier, Percentage.optional()])) as Record<
        (typeof partnerTiers)[number],
        z.ZodOptional<typeof Percentage>
      >,
    )
    .meta({
      description: 'The rates in percent by tier, which apply instead of `rate`',
      examples: [{ bronze: 5, silver: 7.5, gold: 10, platinum: 12.5 }],
    }),
  pipelineRates: z
    .array(z.object({ pipelineId: id('pipeline'), rate: Percentage.meta({ examples: [8] }) }))
    .max(planLimits.pipelines, `Must contain at most ${planLimits.pipelines} pipelines`)
    .meta({ description: 'The rates in percent by pipeline, which apply instead of those by tier', examples: [[]] }),
  levels: z
    .array(PlanLevel)
    .max(planLimits.levels - 1, `Must contain at most ${planLimits.levels - 1} levels`)
    .meta({
      description:
        'The rates of the partners above the one who referred the lead. They are paid in addition, to approved partners only; the share of another partner is not paid',
      examples: [[{ level: 2, rate: 2, minOwnSales: 1 }]],
    }),
  holdDays: wholeNumber(0, planLimits.holdDays).meta({
    description: 'The days after the sale during which a commission cannot be approved without force',
    examples: [30],
  }),
  autoApprove: z
    .boolean()
    .meta({ description: 'Whether commissions are approved when their hold period is over', examples: [false] }),
  maxMonths: wholeNumber(1, planLimits.maxMonths)
    .nullable()
    .meta({
      description: 'For how many months after the first won deal of a lead its deals earn; null without a limit',
      examples: [12],
    }),
  cap: z
    .object({ amount: amount().positive('Must be greater than 0'), currency: currency() })
    .nullable()
    .meta({
      description:
        'The most that one commission is. A commission in another currency is put on hold, so that a person decides',
      examples: [{ amount: 1000, currency: 'EUR' }],
    }),
  attributionDays: wholeNumber(1, planLimits.attributionDays).meta({
    description: 'For how many days a click or a code counts: a lead belongs to the last partner within them',
    examples: [90],
  }),
  activeFrom: timestamp()
    .nullable()
    .meta({ description: 'Sales before this time earn nothing; null without a start', examples: [null] }),
  activeTo: timestamp()
    .nullable()
    .meta({ description: 'Sales from this time on earn nothing; null without an end', examples: [null] }),
});

export const CommissionPlan = z.object({
  id: id('commission_plan'),
  tenantId: id('tenant'),
  name: name(100).meta({ examples: ['Resellers'] }),
  status: PlanStatus,
  allowedTransitions: z
    .array(PlanStatus)
    .meta({ description: 'The statuses that this plan can currently change to', examples: [['archived']] }),
  trigger: PlanTrigger,
  isDefault: z.boolean().meta({
    description: 'Whether the plan applies to partners without a plan of their own; one plan per trigger',
    examples: [false],
  }),
  ...PlanTerms.shape,
  planVersion: z.int().meta({ description: 'The version of the terms, which commissions refer to', examples: [1] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const change = {
  target: 'commission_plan',
  data: z.object({ commissionPlanId: id('commission_plan') }),
  record: CommissionPlan,
} as const;
export const commissionPlanCreated = event('commission_plan.created', {
  ...change,
  description: 'A commission plan is created',
  action: 'commission_plan.create',
});
export const commissionPlanUpdated = event('commission_plan.updated', {
  ...change,
  description: 'A commission plan is updated',
  action: 'commission_plan.update',
});
export const commissionPlanArchived = event('commission_plan.archived', {
  ...change,
  description: 'A commission plan is archived',
  action: 'commission_plan.archive',
});
export const commissionPlanDeleted = event('commission_plan.deleted', {
  ...change,
  description: 'A commission plan that was never used is deleted',
  action: 'commission_plan.delete',
});

const shape = PlanTerms.shape;
/** Terms with a default can be left out of a new plan. */
const optionalTerms = {
  rate: shape.rate.default(null),
  amount: shape.amount.default(null),
  currency: shape.currency.default(null),
  tierRates: shape.tierRates.default({}),
  pipelineRates: shape.pipelineRates.default([]),
  levels: shape.levels.default([]),
  holdDays: shape.holdDays.default(0),
  autoApprove: shape.autoApprove.default(false),
  maxMonths: shape.maxMonths.default(null),
  cap: shape.cap.default(null),
  attributionDays: shape.attributionDays.default(defaultAttributionDays),
  activeFrom: shape.activeFrom.default(null),
  activeTo: shape.activeTo.default(null),
} as const;

const withId = z.object({ id: id('commission_plan') });
const manage = { permission: 'commissions:manage', reply: CommissionPlan } as const;
const nameTaken = { name_taken: [409, 'Another plan has this name; use a different one'] } as const;
const precedence =
  'A sale earns by the plan of the partner if that has the same trigger, else by the default plan of the trigger. Within the plan, the rate of the pipeline comes before the rate of the tier, and that before `rate`. Each commission stores which plan, version and rate were applied.';

export const commissionPlans = operations({
  createCommissionPlan: {
    ...manage,
    method: 'POST',
    path: '/v1/partners/commission-plans',
    summary: 'Create a commission plan',
    description: `${precedence} A percent plan needs \`rate\`, or \`tierRates\` of all tiers; a flat plan needs \`amount\` and \`currency\`. A plan for qualified leads is flat. The highest rate and those of all levels are at most 100 together. With \`isDefault\`, the plan takes the place of the default plan of the trigger.`,
    body: z.object({
      name: CommissionPlan.shape.name,
      trigger: PlanTrigger,
      isDefault: CommissionPlan.shape.isDefault.default(false),
      type: PlanType,
      ...optionalTerms,
    }),
    status: 201,
    message: 'Commission plan created',
    emits: [commissionPlanCreated, commissionPlanUpdated],
    errors: nameTaken,
  },
  listCommissionPlans: {
    method: 'GET',
    path: '/v1/partners/commission-plans',
    permission: 'commissions:read',
    summary: 'List commission plans',
    description: '`search` covers the name.',
    query: listQuery(['createdAt', 'name']).extend({
      status: PlanStatus.optional(),
      trigger: PlanTrigger.optional(),
    }),
    reply: page(CommissionPlan),
    message: 'Commission plans retrieved',
  },
  getCommissionPlan: {
    method: 'GET',
    path: '/v1/partners/commission-plans/:id',
    permission: 'commissions:read',
    summary: 'Retrieve a commission plan',
    description: 'With `planVersion`, the terms are those of that version. Versions never change.',
    params: withId,
    query: z.object({
      planVersion: z.coerce
        .number()
        .int('Must be a whole number')
        .min(1, 'Must be at least 1')
        .max(2_147_483_647, 'Must be at most 2147483647')
        .meta({ description: 'The version of the terms; the current one by default', examples: [1] })
        .optional(),
    }),
    reply: CommissionPlan,
    message: 'Commission plan retrieved',
  },
  updateCommissionPlan: {
    ...manage,
    method: 'PATCH',
    path: '/v1/partners/commission-plans/:id',
    summary: 'Update a commission plan',
    description:
      'Changes the given fields; lists and `tierRates` are replaced as a whole. Changed terms make a new version, which applies to sales that are recorded from then on; commissions keep their version. `isDefault: true` takes the place of the default plan of the trigger.',
    params: withId,
    body: z.object({ name: CommissionPlan.shape.name, isDefault: CommissionPlan.shape.isDefault, ...shape }).partial(),
    message: 'Commission plan updated',
    emits: [commissionPlanUpdated],
    errors: { ...nameTaken, plan_archived: [409, 'The plan is archived; create another one'] },
  },
  archiveCommissionPlan: {
    ...manage,
    method: 'POST',
    path: '/v1/partners/commission-plans/:id/archive',
    summary: 'Archive a commission plan',
    description:
      'An archived plan earns nothing new. Its partners earn by the default plan of the trigger; without a default plan, nothing. Commissions stay as they are.',
    params: withId,
    example: { status: 'archived', allowedTransitions: [], isDefault: false },
    message: 'Commission plan archived',
    emits: [commissionPlanArchived],
    errors: { transition_refused: sharedErrors.transition_refused },
  },
  deleteCommissionPlan: {
    ...manage,
    method: 'DELETE',
    path: '/v1/partners/commission-plans/:id',
    summary: 'Delete a commission plan',
    description: 'Only a plan that no commission and no partner refers to; archive the others.',
    params: withId,
    message: 'Commission plan deleted',
    emits: [commissionPlanDeleted],
    errors: { plan_used: [409, 'Commissions or partners refer to the plan; archive it'] },
  },
});
