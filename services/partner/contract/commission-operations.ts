import { currency, flag, id, listQuery, operations, page, sharedErrors, text } from '@tandem/contract';
import { z } from 'zod';
import {
  Commission,
  CommissionStatus,
  CommissionType,
  commissionApproved,
  commissionCancelled,
  commissionEarned,
  commissionHeld,
  commissionReleased,
} from './commissions.ts';
import { month } from './fields.ts';
import { payoutCompleted, payoutFailed } from './payouts.ts';

/** Why a person changes a commission. */
export const CommissionReason = text(500)
  .min(1, 'Must not be empty')
  .meta({
    description: 'The reason, which the commission shows, also to the partner in the portal, except for that of a hold',
    examples: ['The customer cancelled the contract'],
  });

export const force = z
  .boolean()
  .meta({ description: 'Whether to approve before `holdUntil`', examples: [false] })
  .optional();

const filters = {
  status: CommissionStatus.optional(),
  cancelled: flag().describe('Return only cancelled commissions (`true`), or only the others (`false`)').optional(),
  type: CommissionType.optional(),
  period: month().describe('Return only commissions recorded in this month, in the time zone of the tenant').optional(),
  currency: currency().optional(),
  opportunityId: id('opportunity').optional(),
  payoutId: id('payout').optional(),
};

const withId = z.object({ cid: id('commission') });
const refused = { transition_refused: sharedErrors.transition_refused } as const;
/** A commission that a payout is paying cannot change. */
export const inPayout = {
  payout_in_progress: [409, 'The commission is being paid; wait until the payout has ended'],
} as const;
export const stillHeld = {
  hold_not_over: [409, 'The hold period is not over; wait until holdUntil, or send force'],
} as const;
/** Cancelling would lower a balance twice, or leave two commissions for one sale. */
export const cancelErrors = {
  clawed_back: [409, 'The commission is clawed back; cancel the clawback first'],
  earned_again: [409, 'The sale has earned another commission since; cancel or claw back that one first'],
} as const;
export const clawbackErrors = {
  not_paid: [409, 'Only a paid commission can be clawed back; cancel the others'],
  already_clawed_back: [409, 'The commission is already clawed back'],
} as const;

const manage = { permission: 'commissions:manage', params: withId, reply: Commission } as const;

export const commissions = operations({
  listPartnerCommissions: {
    method: 'GET',
    path: '/v1/partners/:id/commissions',
    permission: 'commissions:read',
    summary: 'List the commissions of a partner',
    description: 'Includes adjustments and clawbacks.',
    params: z.object({ id: id('partner') }),
    query: listQuery(['createdAt']).omit({ search: true }).extend(filters),
    reply: page(Commission),
    message: 'Commissions retrieved',
  },
  listCommissions: {
    method: 'GET',
    path: '/v1/partners/commissions',
    permission: 'commissions:read',
    summary: 'List commissions',
    description: 'Lists the commissions of all partners, with adjustments and clawbacks.',
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({ partnerId: id('partner').optional(), ...filters }),
    reply: page(Commission),
    message: 'Commissions retrieved',
  },
  getCommission: {
    method: 'GET',
    path: '/v1/partners/commissions/:cid',
    permission: 'commissions:read',
    summary: 'Retrieve a commission',
    params: withId,
    reply: Commission,
    message: 'Commission retrieved',
  },
  createCommission: {
    method: 'POST',
    path: '/v1/partners/:id/commissions',
    permission: 'commissions:manage',
    also: [{ permission: 'opportunities:read', for: 'opportunityId' }],
    summary: 'Record a commission by hand',
    description:
      'Records a bonus, or an adjustment of either sign. It is pending, and is approved and paid as an earned commission is. A repeated `externalId` returns the existing commission, if everything but the description is the same. The partner must be approved or suspended; that of a terminated partner can only be an adjustment.',
    params: z.object({ id: id('partner') }),
    body: z.object({
      amount: z
        .number({ error: 'Must be a number' })
        .min(-999_999_999_999, 'Must be at least -999999999999')
        .max(999_999_999_999, 'Must be at most 999999999999')
        .refine((value) => value !== 0, { error: 'Must not be 0' })
        .meta({
          description: 'Amount in major units of the currency; negative for an adjustment that lowers the balance',
          examples: [50],
        }),
      currency: currency(),
      description: CommissionReason,
      type: z
        .enum(['bonus', 'adjustment'])
        .describe('The type of the commission; by default `bonus` for a positive amount, else `adjustment`')
        .optional(),
      opportunityId: id('opportunity').nullish(),
      planId: id('commission_plan')
        .describe('An active plan with the trigger `manual`, whose hold period and cap apply')
        .nullish(),
      externalId: text(255).min(1, 'Must not be empty').nullish(),
    }),
    reply: Commission,
    status: 201,
    mayExist: true,
    message: 'Commission recorded',
    emits: [commissionEarned],
    errors: {
      partner_not_payable: [409, 'The partner cannot earn commissions'],
      external_id_taken: [
        409,
        'Another commission has this externalId: of another partner, or with another amount, currency, type, opportunityId or planId',
      ],
      already_recorded: [
        409,
        'The partner has a commission of this type for the opportunity; send the amount as one commission, or without opportunityId',
      ],
    },
  },
  approveCommission: {
    ...manage,
    method: 'POST',
    path: '/v1/partners/commissions/:cid/approve',
    summary: 'Approve a commission',
    description: 'Approves a pending commission for the next payout. Before `holdUntil` only with `force`.',
    body: z.object({ force }),
    example: { status: 'approved', allowedTransitions: ['on_hold', 'cancelled'] },
    message: 'Commission approved',
    emits: [commissionApproved],
    errors: { ...refused, ...stillHeld },
  },
  holdCommission: {
    ...manage,
    method: 'POST',
    path: '/v1/partners/commissions/:cid/hold',
    summary: 'Put a commission on hold',
    description: 'A pending or approved commission on hold is not paid until it is released and approved.',
    body: z.object({ reason: CommissionReason }),
    example: { status: 'on_hold', allowedTransitions: ['pending', 'cancelled'] },
    message: 'Commission on hold',
    emits: [commissionHeld, payoutCompleted, payoutFailed],
    errors: { ...refused, ...inPayout },
  },
  releaseCommission: {
    ...manage,
    method: 'POST',
    path: '/v1/partners/commissions/:cid/release',
    summary: 'Release a commission',
    description: 'Ends the hold of a commission, which is pending then.',
    example: { status: 'pending', allowedTransitions: ['approved', 'on_hold', 'cancelled'] },
    message: 'Commission released',
    emits: [commissionReleased],
    errors: refused,
  },
  cancelCommission: {
    ...manage,
    method: 'POST',
    path: '/v1/partners/commissions/:cid/cancel',
    summary: 'Cancel a commission',
    description:
      'Cancels a commission that is not paid. In the month in which it was recorded it is no longer counted; later, the statement of the current month has an adjustment.',
    body: z.object({ reason: CommissionReason }),
    example: { status: 'cancelled', allowedTransitions: [] },
    message: 'Commission cancelled',
    emits: [commissionCancelled, payoutCompleted, payoutFailed],
    errors: { ...refused, ...inPayout, ...cancelErrors },
  },
  clawbackCommission: {
    ...manage,
    method: 'POST',
    path: '/v1/partners/commissions/:cid/clawback',
    summary: 'Claw back a paid commission',
    description:
      'Records a negative commission, which the next payout deducts. Each paid commission can be clawed back once, by at most its amount.',
    body: z.object({
      reason: CommissionReason,
      amount: z
        .number({ error: 'Must be a number' })
        .positive('Must be greater than 0')
        .meta({
          description: 'The amount to claw back, in major units; by default the whole commission',
          examples: [120],
        })
        .optional(),
    }),
    status: 201,
    example: { type: 'clawback', amount: -120, status: 'approved', allowedTransitions: ['on_hold', 'cancelled'] },
    message: 'Commission clawed back',
    emits: [commissionEarned],
    errors: clawbackErrors,
  },
});
