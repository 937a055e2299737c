import { amount, currency, event, id, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const commissionStatuses = ['pending', 'approved', 'on_hold', 'paid', 'cancelled'] as const;
export const commissionTypes = ['earned', 'bonus', 'adjustment', 'clawback'] as const;

// Not `amount()`, because a clawback is negative.
const Amount = z.number().meta({
  description: 'Amount in major units of the currency: 12.5 is 12.50 EUR; negative for a clawback',
  examples: [240],
});
export const CommissionStatus = z.enum(commissionStatuses).describe('The payment status of the commission');
export const CommissionType = z
  .enum(commissionTypes)
  .describe('Whether the commission is earned, a bonus, an adjustment, or a clawback of a paid commission');
export const planSources = ['partner', 'program'] as const;
export const PlanSource = z
  .enum(planSources)
  .describe('Whose plan was applied: that of the partner, or the default plan of the program');
export const rateSources = ['pipeline', 'tier', 'plan', 'level'] as const;
export const RateSource = z
  .enum(rateSources)
  .describe('Which rate of the plan was applied: that of the pipeline, the tier or the level, or the general one');

export const commissionStates = stateTable<(typeof commissionStatuses)[number]>('Commission', {
  created: { pending: 'on-opportunity-won', on_hold: 'on-opportunity-won', approved: 'clawbackCommission' },
  changes: {
    pending: { approved: 'approveCommission', on_hold: 'holdCommission', cancelled: 'cancelCommission' },
    on_hold: { pending: 'releaseCommission', cancelled: 'cancelCommission' },
    approved: { on_hold: 'holdCommission', cancelled: 'cancelCommission' },
    paid: {},
    cancelled: {},
  },
  automatic: { approved: { paid: 'settle-payout.job' } },
});

export const Commission = z.object({
  id: id('commission'),
  tenantId: id('tenant'),
  partnerId: id('partner'),
  amount: Amount,
  currency: currency(),
  basisAmount: amount()
    .nullable()
    .meta({
      description: 'The amount that the rate was applied to, such as the value of the deal, in major units',
      examples: [4800],
    }),
  rate: z
    .number()
    .nullable()
    .meta({ description: 'The commission rate in percent', examples: [5] }),
  level: z.int().meta({
    description: 'The level of the partner: 1 for the partner who referred the lead, 2 for the parent of that partner',
    examples: [1],
  }),
  type: CommissionType,
  status: CommissionStatus,
  allowedTransitions: z.array(CommissionStatus).meta({
    description: 'The statuses that this commission can currently change to',
    examples: [[]],
  }),
  planId: id('commission_plan').nullable().describe('The commission plan that was applied'),
  planVersion: z
    .int()
    .nullable()
    .meta({ description: 'The version of the plan that was applied', examples: [3] }),
  planSource: PlanSource.nullable(),
  rateSource: RateSource.nullable(),
  leadId: id('lead').nullable().describe('The lead whose qualification earned the commission'),
  opportunityId: id('opportunity').nullable().describe('The opportunity that the commission was earned for'),
  externalId: text(255)
    .nullable()
    .meta({ description: 'The id of the commission in your own system', examples: ['deal-10423'] }),
  holdUntil: timestamp()
    .nullable()
    .meta({ description: 'The end of the hold period; null if there is none', examples: [null] }),
  approvedAt: timestamp()
    .nullable()
    .meta({ description: 'When the commission was approved', examples: [null] }),
  paidAt: timestamp()
    .nullable()
    .meta({ description: 'When the commission was paid', examples: [null] }),
  payoutId: id('payout')
    .nullable()
    .meta({ description: 'The payout that includes the commission', examples: [null] }),
  originalCommissionId: id('commission')
    .nullable()
    .meta({ description: 'The commission that this one adjusts or claws back', examples: [null] }),
  reason: text(500)
    .nullable()
    .meta({ description: 'The reason for the commission', examples: ['Deal won'] }),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const examplePartnerId = 'R2kQj1FfnErWTVph';
const exampleCommissionId = 'VtsalIyBgUReczN0';

export const commissionEarned = event('commission.earned', {
  group: 'commissions',
  readPermission: 'commissions:read',
  description: 'A commission is recorded',
  action: 'commission.earn',
  target: 'commission',
  data: z.object({
    commissionId: id('commission'),
    amount: Amount,
    // Events of an earlier release that still wait in a queue have no currency.
    currency: currency().optional(),
    partnerId: id('partner'),
  }),
  record: Commission,
  example: { commissionId: exampleCommissionId, amount: 125.5, currency: 'EUR', partnerId: examplePartnerId },
});

const change = {
  target: 'commission',
  data: z.object({ commissionId: id('commission'), partnerId: id('partner') }),
  record: Commission,
} as const;

export const commissionApproved = event('commission.approved', {
  ...change,
  description: 'A commission is approved for payment',
  action: 'commission.approve',
});

export const commissionHeld = event('commission.held', {
  ...change,
  description: 'A commission is put on hold',
  action: 'commission.hold',
});

export const commissionReleased = event('commission.released', {
  ...change,
  description: 'The hold of a commission ends',
  action: 'commission.release',
});

export const commissionCancelled = event('commission.cancelled', {
  ...change,
  description: 'A commission that was not paid yet is cancelled',
  action: 'commission.cancel',
});

export const commissionPaid = event('commission.paid', {
  group: 'commissions',
  readPermission: 'commissions:read',
  description: 'A commission is paid out',
  action: 'commission.pay',
  target: 'commission',
  data: z.object({ commissionId: id('commission'), amount: Amount }),
  record: Commission,
  example: { commissionId: exampleCommissionId, amount: 125.5 },
});
