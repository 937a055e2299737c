import { amount, currency, event, id, secret, stateTable, text, timestamp } from '@tandem/contract';
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

export const PayoutFile = z.object({
  format: z.enum(['csv', 'pain.001']).describe('The format of the file: CSV, or ISO 20022 pain.001.001.09'),
  url: secret(
    z.url().meta({
      description: 'The URL of the file; works without credentials until `expiresAt`',
      examples: ['https://api.example.com/v1/public/payout-files/ThisIsOnlyAnExample'],
    }),
  ),
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
