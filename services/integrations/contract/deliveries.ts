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
/** Why a delivery has its status: what its last attempt met, or that the user it is sent for may not read the event. */
export const deliveryErrors = [...attemptErrors, 'not_permitted'] as const;

const DeliveryStatus = z.enum(deliveryStatuses, { error: `Must be one of ${deliveryStatuses.join(', ')}` });

export const Delivery = z.object({
  id: id('delivery'),
  webhookId: id('webhook'),
  eventId: id('event'),
  event: z.string(),
  status: DeliveryStatus,
  /** Attempts of the schedule; those made by hand are counted apart. */
  attemptCount: z.int(),
  manualAttemptCount: z.int(),
  maxAttempts: z.int(),
  nextAttemptAt: timestamp().nullable(),
  lastStatusCode: z.int().nullable(),
  lastError: z.enum(deliveryErrors).nullable(),
  createdAt: timestamp(),
  completedAt: timestamp().nullable(),
});

export const Attempt = z.object({
  /** From 1 on, never used twice within a delivery. */
  number: z.int(),
  trigger: z.enum(['scheduled', 'manual']),
  startedAt: timestamp(),
  durationMs: z.int(),
  statusCode: z.int().nullable(),
  error: z.enum(attemptErrors).nullable(),
  requestHeaders: z.record(z.string(), z.string()),
  responseHeaders: z.record(z.string(), z.string()).nullable(),
  /** The first 4 KiB. */
  responseBody: z.string().nullable(),
});

/** How long bodies that were sent, and what each attempt met, are kept; the delivery itself stays for 90 days. */
export const payloadDays = 30;
export const deliveryDays = 90;

export const DeliveryDetail = Delivery.extend({
  /** The body that was sent, as an object; null after 30 days, and for a caller who may not read the records of the event. */
  payload: z.record(z.string(), z.unknown()).nullable(),
  /** The same body byte for byte, as it was signed; null when `payload` is null. */
  rawBody: z.string().nullable(),
  /** The attempts of the last 30 days. */
  attempts: z.array(Attempt),
});

const ofWebhook = z.object({ id: id('webhook') });
const ofDelivery = z.object({ id: id('webhook'), deliveryId: id('delivery') });

export const deliveryExhausted = event('webhook.delivery_exhausted', {
  group: 'integrations',
  readPermission: 'webhooks:read',
  description: 'The last attempt of a delivery fails',
  action: 'webhook.exhaust_delivery',
  target: 'delivery',
  data: z.object({ webhookId: id('webhook'), deliveryId: id('delivery'), eventId: id('event'), event: z.string() }),
  record: Delivery,
  example: {
    webhookId: 'Wh7kR2nTq5XsLmZb',
    deliveryId: 'Dv4mB9xWc6JtRzKq',
    eventId: 'Ev3nT7kQm92XsLpZ',
    event: 'lead.created',
  },
});

export const deliveryRetried = event('webhook.delivery_retried', {
  description: 'Somebody has a delivery sent again',
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
    params: ofWebhook,
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({
        status: DeliveryStatus.optional(),
        event: text(100).optional(),
        from: timestamp().optional(),
        to: timestamp().optional(),
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
    description: `Payload and attempts are kept for ${payloadDays} days, the rest for ${deliveryDays}.`,
    params: ofDelivery,
    reply: DeliveryDetail,
    message: 'Delivery retrieved',
  },
  retryDelivery: {
    method: 'POST',
    path: '/v1/integrations/webhooks/:id/deliveries/:deliveryId/retry',
    permission: 'webhooks:write',
    narrows: true,
    summary: 'Send a delivery once more',
    description: 'One attempt beside the schedule, for a delivery that failed, was skipped or succeeded.',
    params: ofDelivery,
    reply: Delivery,
    status: 202,
    message: 'Retry queued',
    emits: [deliveryRetried],
    errors: {
      webhook_inactive: [409, 'The webhook is not active; enable it first'],
      payload_gone: [409, `The payload was kept for ${payloadDays} days and is gone; nothing is left to send`],
      delivery_not_finished: [409, 'The delivery is still under way, or was cancelled'],
    },
  },
});
