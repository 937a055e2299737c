import { currency, id, listQuery, media, operations, page, sharedErrors, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { month } from './fields.ts';

export const statementStatuses = ['open', 'final'] as const;

export const StatementStatus = z
  .enum(statementStatuses)
  .describe('The status of the statement: `open` in the current month, `final` when the month is over');

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
  downloadUrl: z.url().meta({
    description: 'The URL of the breakdown as CSV; works without credentials until `downloadUrlExpiresAt`',
    examples: ['https://api.example.com/v1/public/statements/ThisIsOnlyAnExample'],
  }),
  downloadUrlExpiresAt: timestamp().meta({
    description: 'When the download URL expires',
    examples: ['2026-03-02T09:30:00.000Z'],
  }),
  generatedAt: timestamp().describe('When the statement was calculated'),
});

export const statements = operations({
  listCommissionStatements: {
    method: 'GET',
    path: '/v1/partners/:id/commissions/statements',
    permission: 'commissions:read',
    summary: 'List the statements of a partner',
    description:
      'Returns one statement per month and currency with activity, latest first. Months are those of the time zone of the tenant; a new time zone applies from then on, so past months keep their bounds. The statement of a past month is final: a later cancellation appears as an adjustment in its own month. A commission that is cancelled in the month in which it was recorded is not counted.',
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
  serveStatement: {
    method: 'GET',
    path: '/v1/public/statements/:token',
    audience: 'public',
    summary: 'Download the breakdown of a statement',
    description: 'Returns the breakdown as CSV. The `downloadUrl` of a statement is the URL of this operation.',
    params: z.object({
      token: z
        .string()
        .max(2_000)
        .meta({ description: 'The token at the end of the link', examples: ['ThisIsOnlyAnExample'] }),
    }),
    reply: media('text/csv'),
    message: 'The breakdown of the statement as CSV',
    errors: { link_expired: sharedErrors.link_expired },
  },
});
