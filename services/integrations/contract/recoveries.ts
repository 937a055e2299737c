import { id, operations, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { payloadDays } from './deliveries.ts';
import { webhookRecoveryRequested, webhookReplayRequested } from './webhook-events.ts';

const withId = z.object({ id: id('webhook') });

const since = timestamp().meta({
  description: 'The beginning of the period',
  examples: ['2026-03-01T00:00:00.000Z'],
});
const until = timestamp()
  .meta({
    description: 'The end of the period; the time of the request by default',
    examples: ['2026-03-02T00:00:00.000Z'],
  })
  .optional();

const Started = z.object({
  jobId: id('job').describe('The background job; GET /v1/jobs/:id returns its progress'),
  status: z.literal('queued').describe('Always `queued`'),
  matched: z.int().meta({ description: 'The number of deliveries to send', examples: [12] }),
});

const errors = { webhook_inactive: [409, 'The webhook is not active; set active to true first'] } as const;

/** Background jobs that send what a webhook has missed. */
export const recoveries = operations({
  recoverWebhook: {
    method: 'POST',
    path: '/v1/integrations/webhooks/:id/recover',
    permission: 'webhooks:write',
    narrows: true,
    summary: 'Send missed deliveries again',
    description: `Sends the failed and skipped deliveries that were created in the period again, each with the full retry schedule. Payloads are kept for ${payloadDays} days. The filter of the webhook is not applied again. For events without a delivery, use POST /v1/integrations/webhooks/:id/replay.`,
    params: withId,
    body: z.object({ since, until }),
    reply: Started,
    status: 202,
    message: 'Recovery started',
    emits: [webhookRecoveryRequested],
    errors,
  },
  replayWebhook: {
    method: 'POST',
    path: '/v1/integrations/webhooks/:id/replay',
    permission: 'webhooks:write',
    narrows: true,
    summary: 'Send events that a webhook has never received',
    description: `Sends the events of the period that were never attempted for this webhook, the oldest first: those from before it was created or subscribed to them, and those that were skipped without an attempt. Their ids and bodies are those of the original events. The filter of the webhook applies as it is when they are sent; the number in matched counts the events before the filter. Events are kept for ${payloadDays} days.`,
    params: withId,
    body: z.object({
      since,
      until,
      events: z
        .array(text(100), { error: 'Must be a list of event names' })
        .min(1, 'Must contain at least one event')
        .max(100, 'Must contain at most 100 events')
        .meta({
          description: 'The events to send, as names or patterns; by default all that the webhook subscribes to',
          examples: [['lead.created']],
        })
        .optional(),
    }),
    reply: Started,
    status: 202,
    message: 'Replay started',
    emits: [webhookReplayRequested],
    errors,
  },
});
