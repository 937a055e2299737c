import { event, id, listQuery, name, operations, page, sharedErrors, stateTable, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { defaultAttributionDays, PlanTerms, PlanType } from './plan-terms.ts';

export const planTriggers = ['opportunity.won', 'lead.qualified', 'manual'] as const;
export const planStatuses = ['active', 'archived'] as const;

export const PlanTrigger = z
  .enum(planTriggers)
  .describe(
    'What earns the commission: a won deal, a qualified lead, or a commission that a person records. The commission for a lead stays when the lead is disqualified later; cancel it, or claw it back',
  );
export const PlanStatus = z.enum(planStatuses).describe('The status of the plan');

export const planStates = stateTable<(typeof planStatuses)[number]>('CommissionPlan', {
  created: { active: 'createCommissionPlan' },
  changes: { active: { archived: 'archiveCommissionPlan' }, archived: {} },
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
