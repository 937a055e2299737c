import {
  amount,
  currency,
  event,
  id,
  listQuery,
  operations,
  page,
  stateTable,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import { month } from './fields.ts';

export const commissionStatuses = ['pending', 'approved', 'on_hold', 'paid', 'cancelled'] as const;
export const commissionTypes = ['earned', 'adjustment', 'clawback'] as const;

// Not `amount()`, because a clawback is negative.
const Amount = z.number().meta({
  description: 'Amount in major units of the currency: 12.5 is 12.50 EUR; negative for a clawback',
  examples: [240],
});
export const CommissionStatus = z.enum(commissionStatuses).describe('The payment status of the commission');
export const CommissionType = z
  .enum(commissionTypes)
  .describe('Whether the commission is earned, an adjustment, or a clawback of a paid commission');

export const commissionStates = stateTable<(typeof commissionStatuses)[number]>('Commission', {
  created: { pending: 'on-opportunity-won', approved: 'on-opportunity-reopened' },
  changes: { pending: {}, on_hold: {}, approved: {}, paid: {}, cancelled: {} },
  automatic: {
    pending: { cancelled: 'on-opportunity-reopened' },
    on_hold: { cancelled: 'on-opportunity-reopened' },
    approved: { cancelled: 'on-opportunity-reopened' },
  },
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

export const commissionCancelled = event('commission.cancelled', {
  description: 'A commission that was not paid yet is cancelled',
  action: 'commission.cancel',
  target: 'commission',
  data: z.object({ commissionId: id('commission'), partnerId: id('partner') }),
  record: Commission,
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

export const commissions = operations({
  listPartnerCommissions: {
    method: 'GET',
    path: '/v1/partners/:id/commissions',
    permission: 'commissions:read',
    summary: 'List the commissions of a partner',
    description: 'Includes adjustments and clawbacks.',
    params: z.object({ id: id('partner') }),
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({
        status: CommissionStatus.optional(),
        type: CommissionType.optional(),
        period: month()
          .describe('Return only commissions recorded in this month, in the time zone of the tenant')
          .optional(),
        currency: currency().optional(),
        opportunityId: id('opportunity').optional(),
      }),
    reply: page(Commission),
    message: 'Commissions retrieved',
  },
});
