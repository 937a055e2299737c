import { currency, id, listQuery, media, operations, page, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { month, oneOf } from './fields.ts';

export const statementStatuses = ['open', 'final'] as const;

const StatementStatus = oneOf(statementStatuses);

/** What a partner earned and was paid in one month and currency; amounts are in major units. */
export const Statement = z.object({
  id: id('statement'),
  partnerId: id('partner'),
  periodStart: timestamp(),
  /** When the next period begins. */
  periodEnd: timestamp(),
  currency: currency(),
  openingBalance: z.number(),
  earned: z.number(),
  adjustments: z.number(),
  /** Negative: what was taken back. */
  clawbacks: z.number(),
  paid: z.number(),
  /** opening + earned + adjustments + clawbacks − paid */
  closingBalance: z.number(),
  commissionCount: z.int(),
  /** open: the month is not over, and more may come. */
  status: StatementStatus,
  /** The breakdown as CSV; needs no credentials until `downloadUrlExpiresAt`. */
  downloadUrl: z.url(),
  downloadUrlExpiresAt: timestamp(),
  generatedAt: timestamp(),
});

export const statements = operations({
  listCommissionStatements: {
    method: 'GET',
    path: '/v1/partners/:id/commissions/statements',
    permission: 'commissions:read',
    summary: 'List the statements of a partner',
    description:
      'One for each month (UTC) and currency in which something was recorded or paid, the latest first. The statement of a month that is over is final: what is cancelled later is taken back in the month of the cancellation, as an adjustment. What is cancelled in its own month counts nowhere.',
    params: z.object({ id: id('partner') }),
    query: listQuery(['period']).omit({ search: true, createdFrom: true, createdTo: true }).extend({
      period: month().optional(),
      status: StatementStatus.optional(),
    }),
    reply: page(Statement),
    message: 'Statements retrieved',
  },
  serveStatement: {
    method: 'GET',
    path: '/v1/public/statements/:token',
    audience: 'public',
    summary: 'Download the breakdown of a statement by its link',
    params: z.object({ token: z.string().max(2_000) }),
    reply: media('text/csv'),
    message: 'Statement',
    errors: { link_expired: [404, 'The link has expired; ask for a new one'] },
  },
});
