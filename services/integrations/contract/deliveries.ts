import { event, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const deliveryStatuses = [
  'pending',
  'delivering',
  'succeeded',
  'retrying',
  'failed',
  'skipped',
  'cancelled',
] as const;
export const attemptErrors = ['dns', 'connect', 'tls', 'timeout', 'http_status', 'blocked_address'] as const;
/**
 * The reason for the status of a delivery: the error of its last attempt, that the authorizing user cannot read the
 * event, or that the filter of the webhook cannot be evaluated for it.
 */
export const deliveryErrors = [...attemptErrors, 'not_permitted', 'filter_error'] as const;

export const DeliveryStatus = z.enum(deliveryStatuses).describe('The status of the delivery');

/** The reason for the failure of an attempt. */
export const AttemptError = z.enum(attemptErrors).describe('The reason for the failure of the attempt');
/** The reason for the status of a delivery. */
export const DeliveryError = z
  .enum(deliveryErrors)
  .describe(
    'The reason for the status; `not_permitted` if the user who authorized the webhook cannot read the event, `filter_error` if the filter of the webhook cannot be evaluated for it',
  );

export const Delivery = z.object({
  id: id('delivery'),
  webhookId: id('webhook'),
  eventId: id('event'),
  event: z.string().meta({ description: 'The name of the event', examples: ['lead.created'] }),
  status: DeliveryStatus.meta({ examples: ['succeeded'] }),
  attemptCount: z.int().meta({ description: 'The number of scheduled attempts so far', examples: [1] }),
  manualAttemptCount: z.int().meta({ description: 'The number of manual attempts', examples: [0] }),
  maxAttempts: z.int().meta({ description: 'The maximum number of scheduled attempts', examples: [10] }),
  nextAttemptAt: timestamp()
    .nullable()
    .meta({ description: 'When the next attempt is due; null if there is none', examples: [null] }),
  lastStatusCode: z
    .int()
    .nullable()
    .meta({ description: 'The HTTP status of the last response', examples: [200] }),
  lastError: DeliveryError.nullable().meta({ examples: [null] }),
  createdAt: timestamp(),
  completedAt: timestamp().nullable().describe('When the delivery ended'),
});

export const Attempt = z.object({
  number: z
    .int()
    .meta({ description: 'The number of the attempt, starting at 1; unique within the delivery', examples: [1] }),
  trigger: z.enum(['scheduled', 'manual']).describe('Whether the attempt was scheduled or requested manually'),
  startedAt: timestamp().describe('When the attempt started'),
  durationMs: z.int().meta({ description: 'The duration of the attempt in milliseconds', examples: [184] }),
  statusCode: z
    .int()
    .nullable()
    .meta({ description: 'The HTTP status of the response; null if there was none', examples: [200] }),
  error: AttemptError.nullable().meta({ examples: [null] }),
  requestHeaders: z
    .record(z.string(), z.string())
    .meta({ description: 'The request headers', examples: [{ 'content-type': 'application/json' }] }),
  responseHeaders: z
    .record(z.string(), z.string())
    .nullable()
    .meta({ description: 'The response headers', examples: [{ 'content-type': 'application/json' }] }),
  responseBody: z
    .string()
    .nullable()
    .meta({ description: 'The first 4 KiB of the response body', examples: ['{"received":true}'] }),
});

/** Retention of bodies and attempts; deliveries themselves are kept for 90 days. */
export const payloadDays = 30;
export const deliveryDays = 90;

/** The example body of a delivery. */
export const exampleEvent = {
  id: 'zsa7sCZF7AGQ7nZu',
  type: 'lead.created',
  createdAt: '2026-03-02T09:15:00.000Z',
  data: { leadId: 'khzasVT5ZxaVtyRs', email: 'ada@example.com', source: 'web' },
};

export const DeliveryDetail = Delivery.extend({
  payload: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({
      description:
        'The body of the delivery as an object; null after 30 days, or if the caller does not have permission to read the records of the event',
      examples: [exampleEvent],
    }),
  rawBody: z
    .string()
    .nullable()
    .meta({
      description: 'The exact bytes of the body, as they were signed; null when `payload` is null',
      examples: [JSON.stringify(exampleEvent)],
    }),
  attempts: z.array(Attempt).describe('The attempts of the last 30 days'),
});

const ofWebhook = z.object({ id: id('webhook') });
const ofDelivery = z.object({ id: id('webhook'), deliveryId: id('delivery') });

export const deliveryExhausted = event('webhook.delivery_exhausted', {
  group: 'integrations',
  readPermission: 'webhooks:read',
  description: 'The last attempt of a delivery fails',
  action: 'webhook.exhaust_delivery',
  target: 'delivery',
  data: z.object({
    webhookId: id('webhook'),
    deliveryId: id('delivery'),
    eventId: id('event'),
    event: z.string().describe('The name of the event'),
  }),
  record: Delivery,
  example: {
    webhookId: 'Jr1zaOS4fVNTh4Ou',
    deliveryId: 'A4B7K1fkaZDdswBo',
    eventId: 'zsa7sCZF7AGQ7nZu',
    event: 'lead.created',
  },
});

export const deliveryRetried = event('webhook.delivery_retried', {
  description: 'A retry of a delivery is requested',
  action: 'webhook.retry_delivery',
  target: 'delivery',
  data: z.object({ webhookId: id('webhook'), deliveryId: id('delivery') }),
  record: Delivery,
});

export const deliveries = operations({
  listDeliveries: {
    method: 'GET',
    path: '/v1/integrations/webhooks/:id/deliveries',
    permission: 'webhooks:read',
    narrows: true,
    summary: 'List the deliveries of a webhook',
    description: 'Deliveries are kept for 90 days.',
    params: ofWebhook,
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({
        status: DeliveryStatus.optional(),
        event: text(100)
          .meta({ description: 'Return only deliveries of events with this name', examples: ['lead.created'] })
          .optional(),
        from: timestamp().describe('Return only deliveries created at this time or later').optional(),
        to: timestamp().describe('Return only deliveries created at this time or earlier').optional(),
      }),
    reply: page(Delivery),
    message: 'Deliveries retrieved',
  },
  getDelivery: {
    method: 'GET',
    path: '/v1/integrations/webhooks/:id/deliveries/:deliveryId',
    permission: 'webhooks:read',
    narrows: true,
    summary: 'Retrieve a delivery with its payload and attempts',
    description: `The payload and the attempts are kept for ${payloadDays} days. The other fields are kept for ${deliveryDays} days.`,
    params: ofDelivery,
    reply: DeliveryDetail,
    message: 'Delivery retrieved',
  },
  retryDelivery: {
    method: 'POST',
    path: '/v1/integrations/webhooks/:id/deliveries/:deliveryId/retry',
    permission: 'webhooks:write',
    narrows: true,
    summary: 'Retry a delivery',
    description: 'Makes one attempt outside the schedule. The delivery must be failed, skipped or succeeded.',
    params: ofDelivery,
    reply: Delivery,
    status: 202,
    example: { status: 'retrying', manualAttemptCount: 1, completedAt: null },
    message: 'Retry queued',
    emits: [deliveryRetried],
    errors: {
      webhook_inactive: [409, 'The webhook is not active; set active to true first'],
      payload_gone: [409, `The payload is no longer available: payloads are kept for ${payloadDays} days`],
      delivery_not_finished: [409, 'The delivery is not finished yet, or was cancelled'],
    },
  },
});
