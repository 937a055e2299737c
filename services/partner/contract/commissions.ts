import { amount, currency, event, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { month, oneOf } from './fields.ts';

export const commissionStatuses = ['pending', 'approved', 'on_hold', 'paid', 'cancelled'] as const;
export const commissionTypes = ['earned', 'adjustment', 'clawback'] as const;

/** Major units; a commission that takes back a paid one is negative. */
const Amount = z.number().meta({
  description:
    'Amount in major units of the currency: 12.5 is 12.50 EUR; negative when a paid commission is taken back',
  examples: [240],
});
export const CommissionStatus = oneOf(commissionStatuses).describe('How far the payment has come');
export const CommissionType = oneOf(commissionTypes).describe('Whether the amount was earned, corrected or taken back');

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
    .meta({ description: 'The rate in percent', examples: [5] }),
  level: z.int().meta({
    description: 'How far the partner is from the lead: 1 referred it, 2 is the parent of that partner',
    examples: [1],
  }),
  type: CommissionType,
  status: CommissionStatus,
  allowedTransitions: z.array(CommissionStatus).meta({
    description: 'The statuses that this commission can change to now',
    examples: [['approved', 'on_hold', 'cancelled']],
  }),
  planId: id('commission_plan').nullable().describe('The commission plan that was applied'),
  planVersion: z
    .int()
    .nullable()
    .meta({ description: 'The version of the plan that was applied', examples: [3] }),
  opportunityId: id('opportunity').nullable().describe('The deal that it was earned with'),
  externalId: text(255)
    .nullable()
    .meta({ description: 'The id of the commission in a system of yours', examples: ['deal-10423'] }),
  holdUntil: timestamp()
    .nullable()
    .meta({ description: 'Until when the payment is held', examples: [null] }),
  approvedAt: timestamp()
    .nullable()
    .meta({ description: 'When it was approved', examples: [null] }),
  paidAt: timestamp()
    .nullable()
    .meta({ description: 'When it was paid', examples: [null] }),
  payoutId: id('payout')
    .nullable()
    .meta({ description: 'The payout that it was paid with', examples: [null] }),
  originalCommissionId: id('commission')
    .nullable()
    .meta({ description: 'The commission that this one corrects or takes back', examples: [null] }),
  reason: text(500)
    .nullable()
    .meta({ description: 'Why it was recorded', examples: ['Deal won'] }),
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
    description: 'Includes corrections and amounts that were taken back.',
    params: z.object({ id: id('partner') }),
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({
        status: CommissionStatus.optional(),
        type: CommissionType.optional(),
        period: month().describe('Return only commissions recorded in this month (UTC)').optional(),
        currency: currency().optional(),
        opportunityId: id('opportunity').optional(),
      }),
    reply: page(Commission),
    message: 'Commissions retrieved',
  },
});
