import {
  currency,
  event,
  id,
  listQuery,
  media,
  operations,
  page,
  secret,
  sharedErrors,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import { month } from './fields.ts';

export const statementStatuses = ['open', 'final'] as const;

export const StatementStatus = z
  .enum(statementStatuses)
  .describe(
    'The status of the statement: `final` once it is finalized, by a person or by itself five days after the end of the month',
  );

/** The commissions of a partner in one month and currency. Amounts are in major units. */
export const Statement = z.object({
  id: id('statement'),
  partnerId: id('partner'),
  periodStart: timestamp().meta({ description: 'When the period starts', examples: ['2026-03-01T00:00:00.000Z'] }),
  periodEnd: timestamp().meta({
    description: 'When the period ends, which is when the next period starts',
    examples: ['2026-04-01T00:00:00.000Z'],
  }),
  currency: currency(),
  openingBalance: z
    .number()
    .meta({ description: 'The balance at the start of the period, in major units of the currency', examples: [100] }),
  earned: z
    .number()
    .meta({ description: 'The commissions earned in the period, in major units of the currency', examples: [240] }),
  adjustments: z
    .number()
    .meta({ description: 'The adjustments in the period, in major units of the currency', examples: [0] }),
  clawbacks: z.number().meta({
    description: 'The clawbacks in the period, in major units of the currency; zero or negative',
    examples: [0],
  }),
  paid: z
    .number()
    .meta({ description: 'The commissions paid out in the period, in major units of the currency', examples: [100] }),
  closingBalance: z.number().meta({
    description: '`openingBalance` + `earned` + `adjustments` + `clawbacks` − `paid`, in major units of the currency',
    examples: [240],
  }),
  commissionCount: z.int().meta({ description: 'The number of commissions in the period', examples: [1] }),
  status: StatementStatus,
  downloadUrl: secret(
    z.url().meta({
      description: 'The URL of the breakdown as CSV; works without credentials until `downloadUrlExpiresAt`',
      examples: ['https://api.example.com/v1/public/statements/ThisIsOnlyAnExample'],
    }),
  ),
  pdfUrl: secret(
    z.url().meta({
      description: 'The URL of the statement as PDF; works without credentials until `downloadUrlExpiresAt`',
      examples: ['https://api.example.com/v1/public/statements/ThisIsOnlyAnExample'],
    }),
  ),
  downloadUrlExpiresAt: timestamp().meta({
    description: 'When the download URL expires',
    examples: ['2026-03-02T09:30:00.000Z'],
  }),
  generatedAt: timestamp().describe('When the statement was calculated'),
});

/** A statement with its document. */
export const StatementDetail = Statement.extend({
  finalizedAt: timestamp()
    .nullable()
    .meta({
      description:
        'When the statement was finalized, by a person or by itself; null before, and for months that ended before this was recorded',
      examples: [null],
    }),
});

export const statementFinalized = event('statement.finalized', {
  description: 'The statement of a partner is final: a person finalized it, or its month ended five days ago',
  action: 'statement.finalize',
  target: 'statement',
  data: z.object({ statementId: id('statement'), partnerId: id('partner') }),
  record: Statement.omit({ downloadUrl: true, pdfUrl: true, downloadUrlExpiresAt: true }),
});

const withIds = z.object({ id: id('partner'), sid: id('statement') });

export const statements = operations({
  listCommissionStatements: {
    method: 'GET',
    path: '/v1/partners/:id/commissions/statements',
    permission: 'commissions:read',
    summary: 'List the statements of a partner',
    description:
      'Returns one statement per month and currency with activity, latest first. Months are those of the time zone of the tenant; a new time zone applies from then on, so past months keep their bounds. Every amount belongs to the month in which it is recorded, so a past month never changes: a later cancellation is an adjustment in its own month. A statement is final once it is finalized, at the latest five days after the end of its month. A commission that is cancelled in the month in which it was recorded is not counted.',
    params: z.object({ id: id('partner') }),
    query: listQuery(['period'])
      .omit({ search: true, createdFrom: true, createdTo: true })
      .extend({
        period: month().describe('Return only the statements of this month').optional(),
        status: StatementStatus.optional(),
      }),
    reply: page(Statement),
    message: 'Statements retrieved',
  },
  createCommissionStatement: {
    method: 'POST',
    path: '/v1/partners/:id/commissions/statements',
    permission: 'commissions:manage',
    summary: 'Create a statement',
    description:
      'Creates the statement of a month without activity; the others exist by themselves. That of a month that ended more than five days ago is final at once. The period must be exactly one month in the time zone of the tenant.',
    params: z.object({ id: id('partner') }),
    body: z.object({
      periodStart: Statement.shape.periodStart,
      periodEnd: Statement.shape.periodEnd,
      currency: currency(),
    }),
    reply: StatementDetail,
    status: 201,
    message: 'Statement created',
    emits: [statementFinalized],
    errors: { statement_exists: [409, 'The partner has a statement of this period and currency'] },
  },
  getCommissionStatement: {
    method: 'GET',
    path: '/v1/partners/:id/commissions/statements/:sid',
    permission: 'commissions:read',
    summary: 'Retrieve a statement',
    params: withIds,
    reply: StatementDetail,
    message: 'Statement retrieved',
  },
  finalizeCommissionStatement: {
    method: 'POST',
    path: '/v1/partners/:id/commissions/statements/:sid/finalize',
    permission: 'commissions:manage',
    summary: 'Finalize a statement',
    description: 'Freezes the statement of a month that is over.',
    params: withIds,
    reply: StatementDetail,
    example: { status: 'final', finalizedAt: '2026-04-01T08:00:00.000Z' },
    message: 'Statement finalized',
    emits: [statementFinalized],
    errors: {
      already_final: [409, 'The statement is final'],
      period_not_over: [409, 'The month of the statement is not over'],
    },
  },
  serveStatement: {
    method: 'GET',
    path: '/v1/public/statements/:token',
    audience: 'public',
    summary: 'Download a statement',
    description:
      'Returns the breakdown as CSV, or the statement as PDF. In the CSV, `status` is `cancelled` or `paid` if the commission was by the end of the month, else `unpaid`, and `reason` is that of the entry, so the file of a final statement never changes. The `downloadUrl` and `pdfUrl` of a statement are URLs of this operation.',
    params: z.object({
      token: z
        .string()
        .max(2_000)
        .meta({ description: 'The token at the end of the link', examples: ['ThisIsOnlyAnExample'] }),
    }),
    reply: media('text/csv', 'application/pdf'),
    message: 'The breakdown as CSV, or the statement as PDF',
    errors: { link_expired: sharedErrors.link_expired },
  },
});
