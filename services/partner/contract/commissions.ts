import { amount, currency, event, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { month, oneOf } from './fields.ts';

export const commissionStatuses = ['pending', 'approved', 'on_hold', 'paid', 'cancelled'] as const;
export const commissionTypes = ['earned', 'adjustment', 'clawback'] as const;

/** Major units; a commission that takes back a paid one is negative. */
const Amount = z.number();
const CommissionStatus = oneOf(commissionStatuses);
const CommissionType = oneOf(commissionTypes);

export const Commission = z.object({
  id: id('commission'),
  tenantId: id('tenant'),
  partnerId: id('partner'),
  amount: Amount,
  currency: currency(),
  /** What the rate was applied to, such as the value of the deal. */
  basisAmount: amount().nullable(),
  /** In percent. */
  rate: z.number().nullable(),
  /** 1 for the partner who referred the lead. */
  level: z.int(),
  type: CommissionType,
  status: CommissionStatus,
  /** The statuses that this commission may move to now. */
  allowedTransitions: z.array(CommissionStatus),
  planId: id('commission_plan').nullable(),
  planVersion: z.int().nullable(),
  opportunityId: id('opportunity').nullable(),
  externalId: text(255).nullable(),
  holdUntil: timestamp().nullable(),
  approvedAt: timestamp().nullable(),
  paidAt: timestamp().nullable(),
  payoutId: id('payout').nullable(),
  originalCommissionId: id('commission').nullable(),
  reason: text(500).nullable(),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const examplePartnerId = 'Wq8ZtR3mKx61LdVb';
const exampleCommissionId = 'pJ4sYc9TnG2hXe7Q';

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
    params: z.object({ id: id('partner') }),
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({
        status: CommissionStatus.optional(),
        type: CommissionType.optional(),
        period: month().describe('The month (UTC) in which it was recorded').optional(),
        currency: currency().optional(),
        opportunityId: id('opportunity').optional(),
      }),
    reply: page(Commission),
    message: 'Commissions retrieved',
  },
});
