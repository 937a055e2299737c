import { event, flag, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { CustomHeaders } from './custom-headers.ts';

export const webhooksMax = 20;
const graceSecondsMax = 604_800;
/** Stands in for the value of a custom header wherever one is shown: it may be a password of the receiver's. */
export const hiddenValue = '***';

const Url = z
  .string({ error: 'Must be an http or https address' })
  .max(2048, 'Must be at most 2048 characters')
  .refine((given) => /^https?:$/.test(URL.parse(given)?.protocol ?? ''), 'Must be an http or https address');

const EventPatterns = z
  .array(text(100), { error: 'Must be a list of event names' })
  .min(1, 'Must name at least one event')
  .max(100, 'Must name at most 100 events');

const Rate = z
  .int({ error: 'Must be a whole number from 1 to 1000' })
  .min(1, 'Must be at least 1')
  .max(1000, 'Must be at most 1000');

export const disabledReasons = ['gone', 'failing'] as const;

export const Webhook = z.object({
  id: id('webhook'),
  url: Url,
  events: EventPatterns,
  active: z.boolean(),
  description: text(500).nullable(),
  environment: z.enum(['live', 'sandbox']),
  /** The last four characters of the current secret. */
  secretHint: z.string(),
  /** Why the platform disabled it: the receiver said 410, or failed for days. */
  disabledReason: z.enum(disabledReasons).nullable(),
  disabledAt: timestamp().nullable(),
  /** Names as they are sent; the values are never shown. */
  customHeaders: z.record(z.string(), z.literal(hiddenValue)),
  rateLimitPerSecond: Rate.nullable(),
  /** Since when every delivery failed; null while they arrive. */
  failureSince: timestamp().nullable(),
  createdBy: id('user').nullable(),
  /**
   * The user whose permissions limit which events are delivered: who last set the address, the events or `active`. The
   * permissions of the key they used are a further limit.
   */
  authorizedBy: id('user').nullable(),
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

const Secret = z.string();
const withId = z.object({ id: id('webhook') });

const about = z.object({ webhookId: id('webhook') });
const exampleAbout = { webhookId: 'Wh7kR2nTq5XsLmZb' };

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
  'A webhook gets another secret',
  about.extend({ previousSecretExpiresAt: timestamp().nullable() }),
  { ...exampleAbout, previousSecretExpiresAt: '2026-01-16T09:30:00.000Z' },
);
export const webhookFailing = webhookEvent(
  'webhook.failing',
  'webhook.warn',
  'Every delivery to a webhook has failed for a day',
  about.extend({ failureSince: timestamp() }),
  { ...exampleAbout, failureSince: '2026-01-14T09:30:00.000Z' },
);
export const webhookDisabled = webhookEvent(
  'webhook.disabled',
  'webhook.disable',
  'The platform disables a webhook',
  about.extend({ reason: z.enum(disabledReasons) }),
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

const CatalogueItem = z.object({
  event: z.string(),
  description: z.string(),
  /** The whole body of a delivery. Its ids are examples. */
  examplePayload: z.record(z.string(), z.unknown()),
});

/** What a test delivery met; the same fields as an attempt of a delivery. */
export const TestResult = z.object({
  event: z.string(),
  succeeded: z.boolean(),
  statusCode: z.int().nullable(),
  durationMs: z.int(),
  error: z.string().nullable(),
  responseBody: z.string().nullable(),
});

export const webhooks = operations({
  createWebhook: {
    method: 'POST',
    path: '/v1/integrations/webhooks',
    permission: 'webhooks:write',
    narrows: true,
    summary: 'Register a webhook',
    description:
      'events names events of the catalogue, all that begin alike (`lead.*`, `training.*`), or all that the catalogue shows without `include=all` (`*`). Each event needs the permission to read its records, without narrowing; `*` stands for those of its events that you may read. It is checked again at each delivery: once you may no longer read the records, or are no longer active, deliveries are skipped. The secret is shown this once; with it verify the signature of each delivery.',
    body: writable,
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
    description: '`search` looks into address and description.',
    query: listQuery(['createdAt', 'updatedAt', 'url']).extend({ active: flag().optional() }),
    reply: page(Webhook),
    message: 'Webhooks retrieved',
  },
  getWebhookCatalog: {
    method: 'GET',
    path: '/v1/integrations/webhooks/catalog',
    permission: 'webhooks:read',
    narrows: true,
    summary: 'List the events a webhook can receive',
    description:
      'By group. `include=all` adds training, files, agents, billing, integrations and analytics; `*` does not stand for these, they are subscribed to by name.',
    query: z.object({ include: z.enum(['all'], { error: 'Must be all' }).optional() }),
    reply: z.record(z.string(), z.array(CatalogueItem)),
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
      'Changes the given fields; customHeaders are replaced as a whole, and must be given when `url` moves to another scheme, host or port. `active: true` enables a disabled webhook again; `active: false` skips what waits for it. Who sets `url`, `events` or `active: true` must have the permissions that POST asks for, and from then on their permissions decide about deliveries.',
    params: withId,
    body: writable.partial(),
    reply: Webhook,
    message: 'Webhook updated',
    emits: [webhookUpdated, webhookRecovered],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/v1/integrations/webhooks/:id',
    permission: 'webhooks:delete',
    narrows: true,
    summary: 'Remove a webhook',
    description: 'Deliveries that wait for it are cancelled.',
    params: withId,
    reply: z.object({ id: id('webhook'), deleted: z.literal(true) }),
    message: 'Webhook deleted',
    emits: [webhookDeleted],
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/v1/integrations/webhooks/:id/secret/rotate',
    permission: 'webhooks:manage',
    narrows: true,
    summary: 'Exchange the secret of a webhook',
    description:
      'Until previousSecretExpiresAt deliveries are signed with both secrets. Rotating again within that time drops the oldest one. `secret` brings a secret of your own: 24 to 64 random bytes in base64.',
    ifMatch: true,
    params: withId,
    body: z.object({
      graceSeconds: z
        .int({ error: `Must be a whole number from 0 to ${graceSecondsMax}` })
        .min(0, 'Must be at least 0')
        .max(graceSecondsMax, `Must be at most ${graceSecondsMax}`)
        .default(86_400),
      secret: z
        .string({ error: 'Must be 24 to 64 bytes in base64' })
        .max(100, 'Must be 24 to 64 bytes in base64')
        .refine(isSecret, 'Must be 24 to 64 bytes in base64')
        .optional(),
    }),
    reply: z.object({ id: id('webhook'), secret: Secret, previousSecretExpiresAt: timestamp().nullable() }),
    message: 'Webhook secret rotated',
    emits: [webhookSecretRotated],
  },
  testWebhook: {
    method: 'POST',
    path: '/v1/integrations/webhooks/:id/test',
    permission: 'webhooks:write',
    narrows: true,
    summary: 'Send an example to a webhook',
    description:
      'Sends the example of an event once, now, marked with `X-Service-Test: true`, and answers what happened; the message tells whether it was delivered. Each test has an event id of its own. Without `event` the first one the webhook receives.',
    params: withId,
    body: z.object({ event: text(100).optional() }),
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
      'All deliveries of the last 30 days that failed or were skipped since a time start over with the whole schedule.',
    params: withId,
    body: z.object({ since: timestamp(), until: timestamp().optional() }),
    reply: z.object({ jobId: id('job'), status: z.literal('queued'), matched: z.int() }),
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
