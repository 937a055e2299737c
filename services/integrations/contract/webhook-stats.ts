import { id, operations, timestamp, withOrderedRanges } from '@tandem/contract';
import { z } from 'zod';
import { deliveryDays, payloadDays } from './deliveries.ts';

/** The newest attempts of the period from which durations are calculated. */
export const measuredAttemptsMax = 10_000;

const count = (description: string, example: number) => z.int().meta({ description, examples: [example] });
const rate = (description: string) =>
  z
    .number()
    .nullable()
    .meta({ description, examples: [0.9921] });
const duration = (part: string) =>
  z
    .int()
    .nullable()
    .meta({ description: `The ${part} of the durations in milliseconds; null without attempts`, examples: [184] });

/** How a webhook did in a period. */
export const WebhookStats = z.object({
  from: timestamp().describe('The beginning of the period'),
  to: timestamp().describe('The end of the period'),
  deliveries: z
    .object({
      total: count('The number of deliveries that were created in the period', 1_290),
      pending: count('Those that wait for their first attempt', 2),
      delivering: count('Those that are being sent', 1),
      retrying: count('Those that wait for another attempt', 9),
      succeeded: count('Those that the receiver accepted', 1_250),
      failed: count('Those whose last attempt failed', 10),
      skipped: count('Those that were skipped', 18),
      cancelled: count('Those that were cancelled', 0),
    })
    .describe('The deliveries by their status now'),
  successRate: rate('The part of the succeeded and failed deliveries that succeeded; null if there are none'),
  attempts: z
    .object({
      measured: count(`The number of attempts below: the newest of the period, at most ${measuredAttemptsMax}`, 1_311),
      succeeded: count('Those that the receiver accepted', 1_250),
      p50Ms: duration('median'),
      p95Ms: duration('95th percentile'),
      p99Ms: duration('99th percentile'),
    })
    .describe(`The attempts of these deliveries, which are kept for ${payloadDays} days`),
});

export const webhookStats = operations({
  getWebhookStats: {
    method: 'GET',
    path: '/v1/integrations/webhooks/:id/stats',
    permission: 'webhooks:read',
    narrows: true,
    summary: 'Retrieve statistics of a webhook',
    description: `Counts the deliveries that were created in the period, which are kept for ${deliveryDays} days.`,
    params: z.object({ id: id('webhook') }),
    query: withOrderedRanges(
      z.object({
        from: timestamp().describe('The beginning of the period; 7 days before its end by default').optional(),
        to: timestamp().describe('The end of the period; now by default').optional(),
      }),
    ),
    reply: WebhookStats,
    message: 'Webhook statistics retrieved',
  },
});
