import {
  amount,
  currency,
  event,
  id,
  listQuery,
  media,
  operations,
  page,
  requiredText,
  sharedErrors,
  stateTable,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';

export const payoutStatuses = ['draft', 'approved', 'processing', 'completed', 'failed', 'cancelled'] as const;
export const payoutItemStatuses = ['pending', 'settling', 'paid', 'failed'] as const;
export const payoutMethods = ['file', 'provider'] as const;
export const payoutLimits = { partners: 1_000, items: 250 } as const;

export const PayoutStatus = z.enum(payoutStatuses).describe('The status of the payout');
export const PayoutItemStatus = z
  .enum(payoutItemStatuses)
  .describe('The status of the payment: `settling` while its commissions are being marked as paid');
export const PayoutMethod = z
  .enum(payoutMethods)
  .describe('How the partners are paid: by a file for the bank, or by the payment provider of the platform');

export const payoutStates = stateTable<(typeof payoutStatuses)[number]>('Payout', {
  created: { draft: 'createPayout' },
  changes: {
    draft: { approved: 'approvePayout', cancelled: 'cancelPayout' },
    approved: { processing: 'processPayout', cancelled: 'cancelPayout' },
    processing: {},
    failed: { processing: 'retryPayout', cancelled: 'cancelPayout' },
    completed: {},
    cancelled: {},
  },
  automatic: { processing: { completed: 'end-payout', failed: 'end-payout' }, failed: { completed: 'end-payout' } },
});

// Not `amount()`, because a sum can be above the most that one amount can be.
const Sum = z.number().min(0);

const PayoutFile = z.object({
  format: z.enum(['csv', 'pain.001']).describe('The format of the file: CSV, or ISO 20022 pain.001.001.09'),
  url: z.url().meta({
    description: 'The URL of the file; works without credentials until `expiresAt`',
    examples: ['https://api.example.com/v1/public/payout-files/ThisIsOnlyAnExample'],
  }),
  expiresAt: timestamp().meta({ description: 'When the URL expires; a later request returns a new one' }),
});

export const Payout = z.object({
  id: id('payout'),
  tenantId: id('tenant'),
  status: PayoutStatus,
  allowedTransitions: z.array(PayoutStatus).meta({
    description: 'The statuses that this payout can currently change to',
    examples: [['approved', 'cancelled']],
  }),
  currency: currency(),
  periodEnd: timestamp().meta({
    description: 'Takes approved commissions that were recorded before this time',
    examples: ['2026-04-01T00:00:00.000Z'],
  }),
  minAmount: amount().meta({
    description: 'Partners with less are carried over to a later payout, in major units',
    examples: [50],
  }),
  partnerIds: z
    .array(id('partner'))
    .max(payoutLimits.partners, `Must contain at most ${payoutLimits.partners} ids`)
    .describe('The partners to pay; empty for all'),
  method: PayoutMethod.nullable(),
  amount: Sum.meta({ description: 'The sum of the payments, in major units', examples: [240] }),
  itemCount: z.int().meta({ description: 'The number of partners that are paid', examples: [1] }),
  commissionCount: z.int().meta({ description: 'The number of commissions that are paid', examples: [1] }),
  carriedCount: z.int().meta({
    description: 'The number of partners that are carried over: below the minimum, or with a negative balance',
    examples: [0],
  }),
  paidCount: z.int().meta({ description: 'The number of partners that have been paid', examples: [0] }),
  failedCount: z.int().meta({ description: 'The number of payments that failed', examples: [0] }),
  externalRef: text(200)
    .nullable()
    .meta({ description: 'Your reference of the payment run', examples: ['bank-run-17'] }),
  preparedAt: timestamp()
    .nullable()
    .meta({
      description: 'When all partners were read; null while the payout is being prepared and cannot be approved',
      examples: [null],
    }),
  approvedAt: timestamp()
    .nullable()
    .meta({ description: 'When the payout was approved', examples: [null] }),
  processedAt: timestamp()
    .nullable()
    .meta({ description: 'When the payments were started', examples: [null] }),
  completedAt: timestamp()
    .nullable()
    .meta({ description: 'When the last payment ended', examples: [null] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

export const PayoutItem = z.object({
  id: id('payout_item'),
  partnerId: id('partner'),
  status: PayoutItemStatus,
  amount: Sum.meta({
    description: 'The sum of the commissions of the payment, in major units of the currency',
    examples: [240],
  }),
  currency: currency(),
  commissionCount: z.int().meta({ description: 'The number of commissions of the payment', examples: [1] }),
  account: z
    .string()
    .nullable()
    .meta({
      description: 'The account that is paid, masked; null until the payout is processed',
      examples: ['DE••3000'],
    }),
  externalRef: text(200)
    .nullable()
    .meta({ description: 'The reference of the payment at the bank or provider', examples: [null] }),
  failure: z
    .string()
    .nullable()
    .meta({ description: 'Why the payment failed; null otherwise', examples: [null] }),
  isUncertain: z.boolean().meta({
    description:
      'Whether the provider may have made the failed payment, because it did not answer. Find out, then report it with mark-paid, or retry the payout: the payment is repeated with the same idempotency key',
    examples: [false],
  }),
  paidAt: timestamp()
    .nullable()
    .meta({ description: 'When the payment was reported as made', examples: [null] }),
});

const change = { target: 'payout', data: z.object({ payoutId: id('payout') }), record: Payout } as const;
function payoutEvent<Name extends string>(name: Name, description: string, action: string) {
  return event(name, { ...change, description, action });
}
export const payoutCreated = payoutEvent('payout.created', 'A payout is created', 'payout.create');
export const payoutApproved = payoutEvent('payout.approved', 'A payout is approved', 'payout.approve');
export const payoutProcessing = payoutEvent('payout.processing', 'The payments of a payout start', 'payout.process');
export const payoutCompleted = payoutEvent('payout.completed', 'All payments of a payout are made', 'payout.complete');
export const payoutFailed = payoutEvent('payout.failed', 'A payout ends with failed payments', 'payout.fail');
export const payoutReported = payoutEvent(
  'payout.reported',
  'A person reports payments of a payout as made or failed',
  'payout.report',
);
export const payoutCancelled = payoutEvent('payout.cancelled', 'A payout is cancelled', 'payout.cancel');

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
    errors: { ...refused, ...noProvider },
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
