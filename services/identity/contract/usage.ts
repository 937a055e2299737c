import { id, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { withSubscriptionId } from './subscriptions.ts';

const UsageQuery = z.object({
  from: timestamp()
    .meta({ description: 'The start of the series; by default that of the period', examples: ['2026-03-01T00:00:00Z'] })
    .optional(),
  to: timestamp()
    .meta({ description: 'The end of the series, exclusive; by default now', examples: ['2026-03-08T00:00:00Z'] })
    .optional(),
  granularity: z
    .enum(['day', 'hour'], { error: 'Must be day or hour' })
    .describe('The length of each interval of the series. At most 366 days or 744 hours')
    .default('day'),
  groupBy: z
    .enum(['key', 'route', 'user'], { error: 'Must be key, route or user' })
    .describe('The grouping of the breakdown, which is empty without it')
    .optional(),
});

export const usage = operations({
  getSubscriptionUsage: {
    method: 'GET',
    path: '/v1/subscriptions/:id/usage',
    permission: 'billing:read',
    summary: 'Retrieve the usage of a subscription',
    description:
      '`apiCalls` is the usage of the current period; with an API key, `used` equals the X-API-Usage-Current header of the same response. `series` and `breakdown` cover the calls from `from` to `to`, and are updated within seconds. Only live calls with API keys count. Calls by hour and breakdowns are kept for 90 days.',
    params: withSubscriptionId,
    query: UsageQuery,
    reply: z.object({
      period: z
        .object({
          start: timestamp().meta({ description: 'The start of the period', examples: ['2026-03-01T00:00:00.000Z'] }),
          end: timestamp().meta({
            description: 'The start of the next period',
            examples: ['2026-04-01T00:00:00.000Z'],
          }),
        })
        .describe('The current period'),
      apiCalls: z
        .object({
          used: z.int().meta({ description: 'The number of calls in the period so far', examples: [420] }),
          limit: z
            .int()
            .nullable()
            .meta({ description: 'The number of calls that the plan includes; null for no limit', examples: [1000] }),
          remaining: z
            .int()
            .nullable()
            .meta({ description: 'The number of remaining calls; null for no limit', examples: [580] }),
          percent: z
            .number()
            .nullable()
            .meta({ description: 'The percentage of the limit that is used', examples: [42] }),
          projected: z
            .int()
            .meta({ description: 'The projected number of calls in the whole period', examples: [930] }),
        })
        .describe('The usage of API calls in the period'),
      series: z
        .array(
          z.object({
            date: z.iso.date().meta({ description: 'The day (UTC)', examples: ['2026-03-02'] }),
            start: timestamp().meta({
              description: 'The start of the day or hour',
              examples: ['2026-03-02T00:00:00.000Z'],
            }),
            calls: z.int().meta({ description: 'The number of calls in that time', examples: [37] }),
          }),
        )
        .describe('The number of calls per day or hour, without gaps'),
      breakdown: z
        .array(
          z.object({
            keyId: id('api_key').nullable().describe('The API key; null unless the calls are grouped by key'),
            route: z
              .string()
              .nullable()
              .meta({
                description: 'The method and path of the operation; null unless the calls are grouped by route',
                examples: ['GET /v1/leads'],
              }),
            userId: id('user').nullable().meta({
              description:
                'The user on whose behalf the calls were made, or the owner of the key; null unless grouped by user',
            }),
            name: z
              .string()
              .nullable()
              .meta({
                description:
                  'The name of the key, route or user; null if you may not read it, or for all further groups together',
                examples: ['GET /v1/leads'],
              }),
            calls: z.int().meta({ description: 'The number of calls', examples: [37] }),
            percent: z.number().meta({ description: 'The share of all calls in the range', examples: [42.5] }),
          }),
        )
        .describe('The calls by key, route or user, the most calls first; at most 100 groups and one for the rest'),
    }),
    message: 'Subscription usage retrieved',
  },
});
