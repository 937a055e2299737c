import { currency, id, listQuery, media, operations, page, requiredText, sharedErrors } from '@tandem/contract';
import { z } from 'zod';
import {
  Payout,
  PayoutFile,
  PayoutItem,
  PayoutItemStatus,
  PayoutMethod,
  PayoutStatus,
  payoutApproved,
  payoutCancelled,
  payoutCreated,
  payoutFailed,
  payoutLimits,
  payoutProcessing,
  payoutReported,
} from './payouts.ts';

const withId = z.object({ id: id('payout') });
const manage = { method: 'POST', permission: 'commissions:manage', params: withId, reply: Payout } as const;
const refused = { transition_refused: sharedErrors.transition_refused } as const;
const notProcessing = {
  not_processing: [
    409,
    'The payout is neither being processed with the method file, nor does the request name failed payments',
  ],
} as const;
const noProvider = {
  no_provider: [409, 'The platform has no payment provider; process the payout with the method file'],
} as const;

export const payouts = operations({
  createPayout: {
    method: 'POST',
    path: '/v1/partners/payouts',
    permission: 'commissions:manage',
    summary: 'Create a payout',
    description:
      'Collects the approved commissions, per partner, in the background: `preparedAt` is set when it is ready. Partners below `minAmount`, and those with a negative sum, are carried over to a later payout. A commission is in one payout only, also when two are created at once.',
    body: z.object({
      periodEnd: Payout.shape.periodEnd,
      currency: currency(),
      minAmount: Payout.shape.minAmount.default(0),
      partnerIds: Payout.shape.partnerIds.default([]),
    }),
    reply: Payout,
    status: 201,
    message: 'Payout created',
    emits: [payoutCreated],
  },
  listPayouts: {
    method: 'GET',
    path: '/v1/partners/payouts',
    permission: 'commissions:read',
    summary: 'List payouts',
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({ status: PayoutStatus.optional(), currency: currency().optional() }),
    reply: page(Payout),
    message: 'Payouts retrieved',
  },
  getPayout: {
    method: 'GET',
    path: '/v1/partners/payouts/:id',
    permission: 'commissions:read',
    summary: 'Retrieve a payout',
    params: withId,
    reply: Payout,
    message: 'Payout retrieved',
  },
  getPayoutFiles: {
    method: 'GET',
    path: '/v1/partners/payouts/:id/files',
    permission: 'commissions:manage',
    summary: 'Get the files of a payout for the bank',
    description:
      'Returns links that expire after 15 minutes. The files have the payments that are pending, with the accounts of the partners. pain.001 is available in EUR, if all accounts are within SEPA, once the addon Partner Program has your account (`payerName` and `payerIban`).',
    params: withId,
    reply: z.object({ files: z.array(PayoutFile).describe('The files for the bank') }),
    message: 'Files retrieved',
    errors: notProcessing,
  },
  listPayoutItems: {
    method: 'GET',
    path: '/v1/partners/payouts/:id/items',
    permission: 'commissions:read',
    summary: 'List the payments of a payout',
    params: withId,
    query: listQuery(['id'])
      .omit({ search: true, createdFrom: true, createdTo: true })
      .extend({
        status: PayoutItemStatus.optional(),
        partnerId: id('partner').optional(),
      }),
    reply: page(PayoutItem),
    message: 'Payments retrieved',
  },
  approvePayout: {
    ...manage,
    path: '/v1/partners/payouts/:id/approve',
    summary: 'Approve a payout',
    example: { status: 'approved', allowedTransitions: ['processing', 'cancelled'] },
    message: 'Payout approved',
    emits: [payoutApproved],
    errors: {
      ...refused,
      not_prepared: [409, 'The payout is being prepared; wait until preparedAt is set'],
      nothing_to_pay: [409, 'No partner has an approved commission to pay'],
    },
  },
  processPayout: {
    ...manage,
    path: '/v1/partners/payouts/:id/process',
    summary: 'Process a payout',
    description:
      'Fixes the accounts of the partners and starts the payments. With the method `file`, download the file, give it to the bank, and report the result with mark-paid. With `provider`, each payment is sent to the payment provider of the platform, and is marked as paid when the provider accepts it. A payment to a partner without an account fails, and the owners of the partner are told once by mail to enter it. One to a partner who is suspended or has forfeited its commissions fails too. The payout is `failed` at once if all do.',
    body: z.object({ method: PayoutMethod }),
    example: { status: 'processing', allowedTransitions: [], method: 'file' },
    message: 'Payments started',
    emits: [payoutProcessing, payoutFailed],
    errors: { ...refused, ...noProvider },
  },
  markPayoutPaid: {
    ...manage,
    path: '/v1/partners/payouts/:id/mark-paid',
    summary: 'Mark a payout as paid',
    description:
      'Reports that the bank has made the payments: those of `itemIds`, else all that are pending, without those in `failed`. Payments that failed can be named in `itemIds` after they were made in another way. Of a payout by the provider, only failed payments can be reported, and those with `isUncertain` also in `failed`. Each commission is marked as paid once, in the background, and the owners of the partner are told by mail. When no payment is pending any more, the payout is completed, or failed if a payment failed.',
    body: z.object({
      externalRef: requiredText(200)
        .meta({ description: 'Your reference of the payment run', examples: ['bank-run-17'] })
        .nullish(),
      itemIds: z
        .array(id('payout_item'))
        .max(payoutLimits.items, `Must contain at most ${payoutLimits.items} ids`)
        .describe('The payments that were made; all pending ones by default')
        .optional(),
      failed: z
        .array(
          z.object({
            itemId: id('payout_item'),
            reason: requiredText(500).meta({ description: 'Why the payment failed', examples: ['Account closed'] }),
          }),
        )
        .max(payoutLimits.items, `Must contain at most ${payoutLimits.items} payments`)
        .meta({ description: 'The payments that failed', examples: [[]] })
        .optional(),
    }),
    example: { status: 'processing', allowedTransitions: [] },
    message: 'Payments recorded',
    emits: [payoutReported, payoutFailed],
    errors: notProcessing,
  },
  retryPayout: {
    ...manage,
    path: '/v1/partners/payouts/:id/retry',
    summary: 'Retry the failed payments of a payout',
    description:
      'Starts the failed payments again, with the current accounts of the partners. Others are not repeated.',
    example: { status: 'processing', allowedTransitions: [] },
    message: 'Payments started',
    emits: [payoutProcessing, payoutFailed],
    errors: {
      ...refused,
      ...noProvider,
      payout_in_progress: [409, 'Payments that were reported as made are being settled; none is left to retry'],
    },
  },
  cancelPayout: {
    ...manage,
    path: '/v1/partners/payouts/:id/cancel',
    summary: 'Cancel a payout',
    description:
      'Releases the commissions of a draft or approved payout for another one; of a failed payout, those of the payments that failed. Payments that were made stay. Report uncertain payments first.',
    example: { status: 'cancelled', allowedTransitions: [] },
    message: 'Payout cancelled',
    emits: [payoutCancelled],
    errors: {
      ...refused,
      payout_in_progress: [409, 'Payments are being settled, or may have been made; report uncertain payments first'],
    },
  },
  servePayoutFile: {
    method: 'GET',
    path: '/v1/public/payout-files/:token',
    audience: 'public',
    summary: 'Download the file of a payout',
    description: 'Returns the file for the bank. The `files` of a payout have URLs of this operation.',
    params: z.object({
      token: z
        .string()
        .max(2_000)
        .meta({ description: 'The token at the end of the link', examples: ['ThisIsOnlyAnExample'] }),
    }),
    reply: media('text/csv', 'application/xml'),
    message: 'The file for the bank',
    errors: { link_expired: sharedErrors.link_expired },
  },
});
