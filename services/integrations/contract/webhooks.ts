import { Environment, event, flag, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { CustomHeaders } from './custom-headers.ts';
import { exampleEvent } from './deliveries.ts';

export const webhooksMax = 20;
const graceSecondsMax = 604_800;
/** Stands in for the value of a custom header wherever one is shown: it may be a password of the receiver's. */
export const hiddenValue = '***';

const Url = z
  .string({ error: 'Must be an http or https address' })
  .max(2048, 'Must be at most 2048 characters')
  .refine((given) => /^https?:$/.test(URL.parse(given)?.protocol ?? ''), 'Must be an http or https address')
  .meta({
    description: 'The address that receives the events: http or https, at most 2048 characters',
    examples: ['https://example.com/hooks/tandem'],
  });

const EventPatterns = z
  .array(text(100), { error: 'Must be a list of event names' })
  .min(1, 'Must name at least one event')
  .max(100, 'Must name at most 100 events')
  .meta({
    description: 'The events to receive: names such as `lead.created`, patterns such as `lead.*`, or `*`',
    examples: [['lead.*']],
  });

const Rate = z
  .int({ error: 'Must be a whole number from 1 to 1000' })
  .min(1, 'Must be at least 1')
  .max(1000, 'Must be at most 1000')
  .meta({ description: 'The largest number of deliveries per second; null for the default', examples: [20] });

export const disabledReasons = ['gone', 'failing'] as const;

/** Why the platform disabled a webhook. */
export const DisabledReason = z
  .enum(disabledReasons)
  .describe('Why the platform disabled the webhook: the receiver answered 410, or every delivery failed for days');

export const Webhook = z.object({
  id: id('webhook'),
  url: Url,
  events: EventPatterns,
  active: z.boolean().describe('Whether events are delivered'),
  description: text(500)
    .nullable()
    .meta({ examples: ['Leads of the website'] }),
  environment: Environment,
  secretHint: z.string().meta({ description: 'The last four characters of the current secret', examples: ['ISE='] }),
  disabledReason: DisabledReason.nullable().meta({ examples: [null] }),
  disabledAt: timestamp()
    .nullable()
    .meta({ description: 'When the platform disabled the webhook', examples: [null] }),
  customHeaders: z.record(z.string(), z.literal(hiddenValue)).meta({
    description: 'Headers of your own that each delivery has; the values are never shown',
    examples: [{ 'X-Region': '***' }],
  }),
  rateLimitPerSecond: Rate.nullable(),
  failureSince: timestamp()
    .nullable()
    .meta({ description: 'Since when every delivery has failed; null while deliveries arrive', examples: [null] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  authorizedBy: id('user')
    .nullable()
    .describe(
      'The user whose permissions limit which events are delivered: the one who last set `url`, `events` or `active`. The permissions of the API key that was used are a further limit.',
    ),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const writable = z.object({
  url: Url,
  events: EventPatterns,
  active: z.boolean({ error: 'Must be true or false' }).optional(),
  description: text(500).nullish(),
  customHeaders: CustomHeaders.optional(),
  rateLimitPerSecond: Rate.nullish(),
});

const Secret = z.string().meta({
  description: 'The secret that deliveries are signed with',
  examples: ['whsec_dGhpcyBpcyBvbmx5IGFuIGV4YW1wbGUgc2VjcmV0ISE='],
});
const PreviousSecretExpiresAt = timestamp()
  .nullable()
  .meta({
    description: 'Until when deliveries are signed with the previous secret as well',
    examples: ['2026-03-05T16:40:12.000Z'],
  });
const withId = z.object({ id: id('webhook') });

const about = z.object({ webhookId: id('webhook') });
const exampleAbout = { webhookId: 'Jr1zaOS4fVNTh4Ou' };

/** Declares an event of a webhook: with an example it is in the catalogue, without one only in the audit log. */
function webhookEvent<const Name extends `webhook.${string}`, Data extends z.ZodType>(
  name: Name,
  action: string,
  description: string,
  data: Data,
  example?: z.input<Data>,
) {
  const shown = example && ({ group: 'integrations', readPermission: 'webhooks:read', example } as const);
  return event(name, { ...shown, description, action, target: 'webhook', data, record: Webhook });
}

export const webhookCreated = webhookEvent('webhook.created', 'webhook.create', 'A webhook is registered', about);
export const webhookUpdated = webhookEvent(
  'webhook.updated',
  'webhook.update',
  'A webhook is changed',
  about.extend({ fields: z.array(z.string()) }),
);
export const webhookDeleted = webhookEvent('webhook.deleted', 'webhook.delete', 'A webhook is removed', about);
export const webhookSecretRotated = webhookEvent(
  'webhook.secret_rotated',
  'webhook.rotate_secret',
  'The secret of a webhook is rotated',
  about.extend({ previousSecretExpiresAt: PreviousSecretExpiresAt }),
  { ...exampleAbout, previousSecretExpiresAt: '2026-01-16T09:30:00.000Z' },
);
export const webhookFailing = webhookEvent(
  'webhook.failing',
  'webhook.warn',
  'Every delivery to a webhook has failed for a day',
  about.extend({ failureSince: timestamp().describe('Since when every delivery has failed') }),
  { ...exampleAbout, failureSince: '2026-01-14T09:30:00.000Z' },
);
export const webhookDisabled = webhookEvent(
  'webhook.disabled',
  'webhook.disable',
  'The platform disables a webhook',
  about.extend({ reason: DisabledReason }),
  { ...exampleAbout, reason: 'failing' },
);
export const webhookRecovered = webhookEvent(
  'webhook.recovered',
  'webhook.recover',
  'A webhook works again after its owner was warned or the platform disabled it',
  about,
  exampleAbout,
);
export const webhookRecoveryRequested = webhookEvent(
  'webhook.recovery_requested',
  'webhook.request_recovery',
  'Missed deliveries of a webhook are sent again',
  about.extend({ since: timestamp(), until: timestamp().nullable(), matched: z.int() }),
);

/** An event that a webhook can receive. */
export const CatalogueItem = z.object({
  event: z.string().meta({ description: 'The name of the event', examples: ['lead.created'] }),
  description: z.string().meta({ examples: ['A new lead is created'] }),
  examplePayload: z
    .record(z.string(), z.unknown())
    .meta({ description: 'The whole body of a delivery; its ids are examples', examples: [exampleEvent] }),
});

/** What a test delivery met; the same fields as an attempt of a delivery. */
export const TestResult = z.object({
  event: z.string().meta({ description: 'The name of the event', examples: ['lead.created'] }),
  succeeded: z.boolean().describe('Whether the webhook accepted the delivery'),
  statusCode: z
    .int()
    .nullable()
    .meta({ description: 'The HTTP status of the answer', examples: [200] }),
  durationMs: z.int().meta({ description: 'How long the delivery took, in milliseconds', examples: [184] }),
  error: z
    .string()
    .nullable()
    .meta({ description: 'Why the delivery failed', examples: [null] }),
  responseBody: z
    .string()
    .nullable()
    .meta({ description: 'The first 4 KiB of the answer', examples: ['{"received":true}'] }),
});

const exampleCatalogue = {
  leads: [{ event: 'lead.created', description: 'A new lead is created', examplePayload: exampleEvent }],
};
/** What a request shows as its example: without the fields that only some integrations need. */
const exampleBody = {
  url: 'https://example.com/hooks/tandem',
  events: ['lead.*'],
  description: 'Leads of the website',
};

export const webhooks = operations({
  createWebhook: {
    method: 'POST',
    path: '/v1/integrations/webhooks',
    permission: 'webhooks:write',
    narrows: true,
    summary: 'Register a webhook',
    description:
      '`events` contains names from the catalogue, patterns (`lead.*`, `training.*`), or `*` for all events that the catalogue lists without `include=all`. You need the permission to read the records of each event, without narrowing; `*` covers the events that you may read. The permission is checked again at each delivery: deliveries are skipped once you lose it or are no longer active. Only this answer contains the secret; verify the signature of each delivery with it.',
    body: writable.meta({ examples: [exampleBody] }),
    reply: Webhook.extend({ secret: Secret }),
    status: 201,
    message: 'Webhook created',
    emits: [webhookCreated],
    errors: { too_many_webhooks: [409, `An environment has at most ${webhooksMax} webhooks; remove one first`] },
  },
  listWebhooks: {
    method: 'GET',
    path: '/v1/integrations/webhooks',
    permission: 'webhooks:read',
    narrows: true,
    summary: 'List webhooks',
    description: '`search` covers address and description.',
    query: listQuery(['createdAt', 'updatedAt', 'url']).extend({
      active: flag().describe('Return only webhooks that are active, or only those that are not').optional(),
    }),
    reply: page(Webhook),
    message: 'Webhooks retrieved',
  },
  getWebhookCatalog: {
    method: 'GET',
    path: '/v1/integrations/webhooks/catalog',
    permission: 'webhooks:read',
    narrows: true,
    summary: 'List the webhook events',
    description:
      'Returns the events by group. `include=all` adds training, files, agents, billing, integrations and analytics; `*` does not cover these groups, subscribe to them by name.',
    query: z.object({
      include: z
        .enum(['all'], { error: 'Must be all' })
        .describe('Whether the groups that `*` does not include are listed too')
        .optional(),
    }),
    reply: z.record(z.string(), z.array(CatalogueItem)).meta({ examples: [exampleCatalogue] }),
    message: 'Catalog retrieved',
  },
  getWebhook: {
    method: 'GET',
    path: '/v1/integrations/webhooks/:id',
    permission: 'webhooks:read',
    narrows: true,
    summary: 'Retrieve a webhook',
    params: withId,
    reply: Webhook,
    message: 'Webhook retrieved',
  },
  updateWebhook: {
    method: 'PATCH',
    path: '/v1/integrations/webhooks/:id',
    permission: 'webhooks:write',
    narrows: true,
    summary: 'Update a webhook',
    description:
      'Changes the given fields. `customHeaders` is replaced as a whole, and is required when `url` changes its scheme, host or port. `active: true` enables a disabled webhook; `active: false` skips waiting deliveries. To set `url`, `events` or `active: true` you need the permissions that creating a webhook needs; your permissions then limit the deliveries.',
    params: withId,
    body: writable.partial().meta({ examples: [exampleBody] }),
    reply: Webhook,
    message: 'Webhook updated',
    emits: [webhookUpdated, webhookRecovered],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/v1/integrations/webhooks/:id',
    permission: 'webhooks:delete',
    narrows: true,
    summary: 'Delete a webhook',
    description: 'Waiting deliveries are cancelled.',
    params: withId,
    reply: z.object({ id: id('webhook'), deleted: z.literal(true).describe('Always true') }),
    message: 'Webhook deleted',
    emits: [webhookDeleted],
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/v1/integrations/webhooks/:id/secret/rotate',
    permission: 'webhooks:manage',
    narrows: true,
    summary: 'Rotate the secret of a webhook',
    description:
      'Deliveries are signed with both secrets until `previousSecretExpiresAt`. Another rotation within that time drops the oldest secret.',
    ifMatch: true,
    params: withId,
    body: z
      .object({
        graceSeconds: z
          .int({ error: `Must be a whole number from 0 to ${graceSecondsMax}` })
          .min(0, 'Must be at least 0')
          .max(graceSecondsMax, `Must be at most ${graceSecondsMax}`)
          .describe('For how many seconds deliveries are signed with the old secret as well')
          .default(86_400),
        secret: z
          .string({ error: 'Must be 24 to 64 bytes in base64' })
          .max(100, 'Must be 24 to 64 bytes in base64')
          .refine(isSecret, 'Must be 24 to 64 bytes in base64')
          .describe('A secret of your own: 24 to 64 random bytes in base64. Without it the platform makes one.')
          .optional(),
      })
      .meta({ examples: [{ graceSeconds: 86_400 }] }),
    reply: z.object({
      id: id('webhook'),
      secret: Secret,
      previousSecretExpiresAt: PreviousSecretExpiresAt,
    }),
    message: 'Webhook secret rotated',
    emits: [webhookSecretRotated],
  },
  testWebhook: {
    method: 'POST',
    path: '/v1/integrations/webhooks/:id/test',
    permission: 'webhooks:write',
    narrows: true,
    summary: 'Send a test event to a webhook',
    description:
      'Sends the example of an event once, now, with the header `X-Service-Test: true`, and returns the result; `message` says whether it was delivered. Each test has its own event id. Without `event`, the first event of the webhook is sent.',
    params: withId,
    body: z.object({
      event: text(100)
        .meta({ description: 'The event to send', examples: ['lead.created'] })
        .optional(),
    }),
    reply: TestResult,
    message: 'Test delivered',
    emits: [],
    timeoutMs: 20_000,
    errors: { too_many_tests: [429, 'Several webhook tests are under way; wait for them to end'] },
  },
  recoverWebhook: {
    method: 'POST',
    path: '/v1/integrations/webhooks/:id/recover',
    permission: 'webhooks:write',
    narrows: true,
    summary: 'Send missed deliveries again',
    description:
      'Sends deliveries of the last 30 days that failed or were skipped again, each with the whole schedule.',
    params: withId,
    body: z.object({
      since: timestamp().meta({
        description: 'Send deliveries of this time or later again',
        examples: ['2026-03-01T00:00:00.000Z'],
      }),
      until: timestamp()
        .meta({ description: 'Send deliveries of this time or earlier again', examples: ['2026-03-02T00:00:00.000Z'] })
        .optional(),
    }),
    reply: z.object({
      jobId: id('job').describe('The job that sends them; GET /v1/jobs/:id shows its progress'),
      status: z.literal('queued').describe('Always `queued`'),
      matched: z.int().meta({ description: 'The number of deliveries that are sent again', examples: [12] }),
    }),
    status: 202,
    message: 'Recovery started',
    emits: [webhookRecoveryRequested],
    errors: { webhook_inactive: [409, 'The webhook is not active; enable it first'] },
  },
});

// 24 to 64 bytes take 32 to 86 characters, and fill up to a multiple of four.
const secretForm = /^(?:whsec_)?([A-Za-z0-9+/]{32,86})=*$/;

/** Whether a text is 24 to 64 bytes in base64, with or without the prefix that marks a secret. */
function isSecret(given: string): boolean {
  const base64 = secretForm.exec(given)?.[1];
  if (base64 === undefined) return false;
  // A remainder of one character holds no whole byte; atob() would throw.
  if (base64.length % 4 === 1) return false;
  const bytes = atob(base64);
  // Unused bits of the last character must be zero: otherwise two texts would be one secret.
  return btoa(bytes).startsWith(base64) && bytes.length >= 24 && bytes.length <= 64;
}
