import { flag, id, listQuery, operations, page, text } from '@tandem/contract';
import { z } from 'zod';
import { exampleEvent } from './deliveries.ts';
import { Webhook, WritableWebhook } from './webhook.ts';
import {
  webhookCreated,
  webhookDeleted,
  webhookRecovered,
  webhookSecretRotated,
  webhookUpdated,
} from './webhook-events.ts';
import { PreviousSecretExpiresAt, Secret, SecretRotation } from './webhook-secret.ts';

export const webhooksMax = 20;
const withId = z.object({ id: id('webhook') });

/** An event that a webhook can receive. */
export const CatalogueItem = z.object({
  event: z.string().meta({ description: 'The name of the event', examples: ['lead.created'] }),
  description: z.string().meta({ examples: ['A new lead is created'] }),
  schemaVersion: z.int().meta({
    description:
      'The version of the schema of the body, which rises when its form changes. The schema itself is in `webhooks` of /v1/openapi.json, with the version as `x-schema-version`. Changes are additions: a receiver that ignores unknown fields can read later versions',
    examples: [1],
  }),
  examplePayload: z
    .record(z.string(), z.unknown())
    .meta({ description: 'The complete body of a delivery, with example ids', examples: [exampleEvent] }),
});

/** The result of a test delivery, with the fields of an attempt. */
export const TestResult = z.object({
  event: z.string().meta({ description: 'The name of the event', examples: ['lead.created'] }),
  succeeded: z.boolean().describe('Whether the webhook accepted the delivery'),
  matchesFilter: z
    .boolean()
    .nullable()
    .meta({
      description:
        'Whether the filter of the webhook matches the example event, which is sent in any case; null without a filter',
      examples: [null],
    }),
  statusCode: z
    .int()
    .nullable()
    .meta({ description: 'The HTTP status of the response', examples: [200] }),
  durationMs: z.int().meta({ description: 'The duration of the delivery in milliseconds', examples: [184] }),
  error: z
    .string()
    .nullable()
    .meta({ description: 'The reason for the failure', examples: [null] }),
  responseBody: z
    .string()
    .nullable()
    .meta({ description: 'The first 4 KiB of the response body', examples: ['{"received":true}'] }),
});

const exampleCatalogue = {
  leads: [
    { event: 'lead.created', description: 'A new lead is created', schemaVersion: 1, examplePayload: exampleEvent },
  ],
};
/** The example of requests, without fields that only few integrations use. */
const exampleBody = {
  url: 'https://example.com/hooks/tandem',
  events: ['lead.*'],
  description: 'Website leads',
};

export const webhooks = operations({
  createWebhook: {
    method: 'POST',
    path: '/v1/integrations/webhooks',
    permission: 'webhooks:write',
    narrows: true,
    summary: 'Create a webhook',
    description:
      '`events` contains names from the catalogue, patterns (`lead.*`, `training.*`), or `*` for all events that the catalogue lists without `include=all`. You must have permission to read the records of each event, without narrowing; `*` covers the events that you can read. The permission is checked again at each delivery: deliveries are skipped if you no longer have it or are no longer active. The secret is returned only in this response; use it to verify the signature of each delivery.',
    body: WritableWebhook.meta({ examples: [exampleBody] }),
    reply: Webhook.extend({ secret: Secret }),
    status: 201,
    message: 'Webhook created',
    emits: [webhookCreated],
    errors: { too_many_webhooks: [409, `An environment can have at most ${webhooksMax} webhooks; delete one first`] },
  },
  listWebhooks: {
    method: 'GET',
    path: '/v1/integrations/webhooks',
    permission: 'webhooks:read',
    narrows: true,
    summary: 'List webhooks',
    description: '`search` covers the URL and the description.',
    query: listQuery(['createdAt', 'updatedAt', 'url']).extend({
      active: flag().describe('Return only active webhooks (true) or only inactive ones (false)').optional(),
    }),
    reply: page(Webhook),
    message: 'Webhooks retrieved',
  },
  getWebhookCatalog: {
    method: 'GET',
    path: '/v1/integrations/webhooks/catalog',
    permission: 'webhooks:read',
    narrows: true,
    summary: 'List the webhook event catalogue',
    description:
      'Returns the events by group. `include=all` adds the groups reminders, training, files, agents, billing, integrations and analytics. `*` does not cover these groups: subscribe to their events by name.',
    query: z.object({
      include: z
        .enum(['all'], { error: 'Must be all' })
        .describe('Include the groups that `*` does not cover')
        .optional(),
    }),
    reply: z.record(z.string(), z.array(CatalogueItem)).meta({ examples: [exampleCatalogue] }),
    message: 'Webhook event catalogue retrieved',
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
      'Changes the given fields. `customHeaders` is replaced as a whole, and is required when `url` changes its scheme, host or port. `active: true` enables a disabled webhook; `active: false` skips pending and retrying deliveries. To set `url`, `events` or `active: true` you need the same permissions as to create a webhook; your permissions then limit which events are delivered.',
    params: withId,
    body: WritableWebhook.partial().meta({ examples: [exampleBody] }),
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
    description: 'Pending and retrying deliveries are cancelled.',
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
      'Deliveries are signed with both secrets until `previousSecretExpiresAt`. Another rotation before that time removes the oldest secret.',
    ifMatch: true,
    params: withId,
    body: SecretRotation.meta({ examples: [{ graceSeconds: 86_400 }] }),
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
      'Sends an example event once, immediately, with the header `X-Service-Test: true`, and returns the result; `message` states whether the event was delivered. Each test has a new event id. The event is sent whether or not the filter of the webhook matches it; `matchesFilter` states whether it does. `event` defaults to the first event of the webhook.',
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
    errors: { too_many_tests: [429, 'Too many webhook tests are in progress; try again when they have finished'] },
  },
});
