import { amount, currency, event, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

const Period = z
  .string()
  .regex(/^2[0-9]{3}-(0[1-9]|1[0-2]|Q[1-4])$/, 'Must be a month such as 2026-03, or a quarter such as 2026-Q1')
  .meta({ description: 'A month such as 2026-03, or a quarter such as 2026-Q1', examples: ['2026-Q1'] });
const Amount = amount().meta({ examples: [60_000] });

/** The sales target of an owner, a team or the whole tenant for a period. */
export const Quota = z.object({
  id: id('quota'),
  period: Period,
  ownerId: id('user').nullable().describe('The user who has the quota'),
  teamId: id('team').nullable().describe('The team that has the quota'),
  amount: Amount,
  currency: currency(),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const quotaEvent = (verb: 'create' | 'update' | 'delete', description: string) =>
  event(`quota.${verb}d`, {
    description,
    action: `quota.${verb}`,
    target: 'quota',
    data: z.object({ quotaId: id('quota') }),
    record: Quota,
  });

export const quotaCreated = quotaEvent('create', 'A quota is set');
export const quotaUpdated = quotaEvent('update', 'A quota is changed');
export const quotaDeleted = quotaEvent('delete', 'A quota is deleted');

export const SubmissionCategory = z
  .enum(['commit', 'best_case'])
  .describe('Whether the amount is certain (`commit`) or possible (`best_case`)');

/** The amount that an owner expects to win in a period, with the sums at the time of the submission. */
export const ForecastSubmission = z.object({
  id: id('forecast_submission'),
  period: Period,
  ownerId: id('user').describe('The user whose opportunities the submission is about'),
  category: SubmissionCategory.meta({ examples: ['commit'] }),
  amount: Amount,
  currency: currency(),
  note: text(2000)
    .nullable()
    .meta({ description: 'A note about the forecast', examples: ['Two contracts are with the purchasing department'] }),
  snapshot: z
    .object({
      openValue: z.number().meta({ description: 'The sum of the open opportunities', examples: [96_000] }),
      weightedValue: z
        .number()
        .meta({ description: 'The sum of the open opportunities times their probability', examples: [41_000] }),
      commit: z
        .number()
        .meta({ description: 'The sum of the open opportunities with the category commit', examples: [20_000] }),
      bestCase: z
        .number()
        .meta({ description: 'The sum of the open opportunities with the category best_case', examples: [30_000] }),
      closedWon: z.number().meta({ description: 'The sum of the opportunities that were won', examples: [18_000] }),
    })
    .describe('The forecast of the owner for the period when it was submitted'),
  actual: z
    .number()
    .nullable()
    .meta({ description: 'What the owner has won, once the period has ended; null before', examples: [null] }),
  accuracy: z
    .number()
    .nullable()
    .meta({
      description:
        'How close the submitted amount is to the actual one, from 0 to 1: the smaller divided by the larger; null until the period has ended',
      examples: [null],
    }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  createdAt: timestamp(),
});

export const forecastSubmitted = event('forecast.submitted', {
  description: 'A forecast is submitted',
  action: 'forecast.submit',
  target: 'forecast_submission',
  data: z.object({ forecastSubmissionId: id('forecast_submission') }),
  record: ForecastSubmission,
});

const withId = z.object({ id: id('quota') });
const period_closed = [409, 'The period has ended, so its quotas no longer change'] as const;
const quotaTaken = [409, 'This owner or team has a quota for the period; change that one'] as const;

export const quotas = operations({
  createQuota: {
    method: 'POST',
    path: '/v1/opportunities/quotas',
    permission: 'config:write',
    summary: 'Set a quota',
    description:
      'A quota belongs to an owner, to a team, or without both to the whole tenant. The forecast of a quarter uses the quota of the quarter, else the sum of its months.',
    body: z
      .object({
        period: Period,
        ownerId: id('user').nullish(),
        teamId: id('team').nullish(),
        amount: Amount,
        currency: currency().optional(),
      })
      .meta({ examples: [{ period: '2026-Q1', amount: 60_000, currency: 'EUR' }] }),
    reply: Quota,
    status: 201,
    message: 'Quota created',
    emits: [quotaCreated],
    errors: { quota_taken: quotaTaken, period_closed },
  },
  listQuotas: {
    method: 'GET',
    path: '/v1/opportunities/quotas',
    permission: 'config:read',
    summary: 'List quotas',
    query: listQuery(['createdAt', 'period'])
      .omit({ search: true })
      .extend({
        period: Period.optional(),
        ownerId: id('user').optional(),
        teamId: id('team').optional(),
      }),
    reply: page(Quota),
    message: 'Quotas retrieved',
  },
  getQuota: {
    method: 'GET',
    path: '/v1/opportunities/quotas/:id',
    permission: 'config:read',
    summary: 'Retrieve a quota',
    params: withId,
    reply: Quota,
    message: 'Quota retrieved',
  },
  updateQuota: {
    method: 'PATCH',
    path: '/v1/opportunities/quotas/:id',
    permission: 'config:write',
    summary: 'Change a quota',
    params: withId,
    body: z.object({ amount: Amount, currency: currency() }).partial(),
    reply: Quota,
    message: 'Quota updated',
    emits: [quotaUpdated],
    errors: { period_closed },
  },
  deleteQuota: {
    method: 'DELETE',
    path: '/v1/opportunities/quotas/:id',
    permission: 'config:delete',
    summary: 'Delete a quota',
    params: withId,
    reply: z.object({ id: id('quota'), deleted: z.literal(true).describe('Always true') }),
    message: 'Quota deleted',
    emits: [quotaDeleted],
    errors: { period_closed },
  },
  submitForecast: {
    method: 'POST',
    path: '/v1/opportunities/forecast/submissions',
    permission: 'opportunities:write',
    narrows: true,
    summary: 'Submit a forecast',
    description:
      'Records what an owner, by default the caller, expects to win in a period that has not ended. A later submission for the same period and category does not replace the earlier one. Callers who can access own or team opportunities only submit their own forecast.',
    body: z
      .object({
        period: Period,
        amount: Amount,
        currency: currency().optional(),
        category: SubmissionCategory.default('commit'),
        note: text(2000).nullish().describe('A note about the forecast'),
        ownerId: id('user').optional(),
      })
      .meta({ examples: [{ period: '2026-Q1', amount: 20_000, category: 'commit' }] }),
    reply: ForecastSubmission,
    status: 201,
    message: 'Forecast submitted',
    emits: [forecastSubmitted],
    errors: { period_closed: [409, 'The period has ended; submit a forecast for a current or later one'] },
  },
  listForecastSubmissions: {
    method: 'GET',
    path: '/v1/opportunities/forecast/submissions',
    permission: 'opportunities:read',
    narrows: true,
    summary: 'List submitted forecasts',
    query: listQuery(['createdAt', 'period'])
      .omit({ search: true })
      .extend({
        period: Period.optional(),
        ownerId: id('user').optional(),
        category: SubmissionCategory.optional(),
      }),
    reply: page(ForecastSubmission),
    message: 'Forecast submissions retrieved',
  },
});
