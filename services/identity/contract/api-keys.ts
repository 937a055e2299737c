import {
  Environment,
  event,
  id,
  isPermission,
  listQuery,
  name,
  operations,
  page,
  secret,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';

export const keyStatuses = ['active', 'revoked', 'expired'] as const;
export const KeyStatus = z.enum(keyStatuses).describe('The status of the key');

const Permission = z
  .string()
  .max(100)
  // `:all` is what a permission covers without a suffix; it is stored in that form only.
  .overwrite((permission) => permission.replace(/^([^:]+:[^:]+):all$/, '$1'))
  .refine(isPermission, { error: 'Must be a permission listed by GET /v1/permissions' })
  .meta({ description: 'A permission, such as `leads:read`', examples: ['leads:read'] });
export const Permissions = z.array(Permission).max(200, { error: 'Must contain at most 200 permissions' });

/** An address or a network in CIDR notation. */
const Network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: 'Must be an IP address or a network such as 203.0.113.0/24',
});
const AllowedIps = z
  .array(Network)
  .max(100, { error: 'Must contain at most 100 networks' })
  .describe('The networks from which the key can be used, at most 100; empty for any network');

export const ApiKey = z.object({
  id: id('api_key'),
  tenantId: id('tenant'),
  name: name().meta({ examples: ['Website form'] }),
  keyPrefix: z.string().meta({ description: 'The prefix of the key', examples: ['svc_live_sk_'] }),
  last4: z.string().meta({ description: 'The last four characters of the key', examples: ['mple'] }),
  environment: Environment,
  status: KeyStatus,
  permissions: z.array(z.string()).meta({
    description:
      'The permissions of the key; empty if the key has the permissions of its owner’s role at the time of each request',
    examples: [['leads:write']],
  }),
  allowedIps: z.array(z.string()).meta({
    description: 'The networks from which the key can be used; empty for any network',
    examples: [['203.0.113.0/24']],
  }),
  createdBy: id('user').describe('The user who created the key'),
  ownerId: id('user').describe(
    'The user whose role limits the key and to whom its calls are attributed: the creator, until a successor takes the key over',
  ),
  lastUsedAt: timestamp()
    .nullable()
    .meta({
      description: 'When the key was last used, accurate to five minutes',
      examples: ['2026-03-04T16:35:00.000Z'],
    }),
  expiresAt: timestamp()
    .nullable()
    .meta({ description: 'When the key expires; null if it does not expire', examples: ['2027-03-02T09:15:00.000Z'] }),
  revokedAt: timestamp()
    .nullable()
    .meta({ description: 'When the key was revoked', examples: [null] }),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** The creation response, the only one with the full key. */
export const NewApiKey = ApiKey.extend({
  fullKey: secret(
    z.string().meta({
      description: 'The full key; it is returned only once',
      examples: ['svc_live_sk_ThisIsOnlyAnExampleThisIsOnlyAnExampleExample'],
    }),
  ),
});

const withId = z.object({ id: id('api_key') });
const keyId = z.object({ keyId: id('api_key') });
// Events of an earlier release have no owner.
const keyEvent = { target: 'api_key', record: ApiKey.extend({ ownerId: ApiKey.shape.ownerId.optional() }) } as const;

const cataloguedKeyEvent = { ...keyEvent, group: 'integrations', readPermission: 'api_keys:read' } as const;
const keyExample = { keyId: 'uFg30rYvedILTxSW' };

export const apiKeyCreated = event('api_key.created', {
  ...cataloguedKeyEvent,
  example: keyExample,
  description: 'An API key is created',
  action: 'api_key.create',
  data: keyId,
});
export const apiKeyUpdated = event('api_key.updated', {
  ...keyEvent,
  description: 'An API key is updated',
  action: 'api_key.update',
  data: keyId,
});
export const apiKeyRevoked = event('api_key.revoked', {
  ...cataloguedKeyEvent,
  example: keyExample,
  description: 'An API key is revoked',
  action: 'api_key.revoke',
  data: keyId,
});
export const apiKeyHandedOver = event('api_key.handed_over', {
  ...keyEvent,
  description: 'A successor takes over an API key of a user who is no longer active',
  action: 'api_key.hand_over',
  data: keyId.extend({ from: id('user'), to: id('user') }),
});
export const apiKeyRotated = event('api_key.rotated', {
  ...cataloguedKeyEvent,
  example: { ...keyExample, newKeyId: 'RIkQj1FfnIrWTVph', expiresAt: '2026-03-05T09:15:00.000Z' },
  description: 'An API key is rotated; the old key works until it expires',
  action: 'api_key.rotate',
  data: keyId.extend({ newKeyId: id('api_key'), expiresAt: timestamp().describe('When the old key expires') }),
});

export const apiKeys = operations({
  createApiKey: {
    method: 'POST',
    path: '/v1/api-keys',
    permission: 'api_keys:manage',
    narrows: true,
    summary: 'Create an API key',
    description:
      'The full key is returned only in this response. A key without `permissions` has the permissions of its owner’s role at the time of each request; a key with `permissions` never exceeds that role. A key that you create for somebody else, or with a key that has `permissions` itself, always has `permissions`: without them in the request, those that its owner has now. While the owner is not active, the key may do nothing. You cannot grant permissions that you do not have. A key that you create with a key cannot work longer than that key, or from other networks.',
    body: z
      .object({
        name: name(),
        environment: Environment.default('live'),
        permissions: Permissions.optional(),
        expiresAt: timestamp().nullish(),
        allowedIps: AllowedIps.nullish(),
      })
      .meta({ examples: [{ name: 'Website form', environment: 'live', permissions: ['leads:write'] }] }),
    reply: NewApiKey,
    status: 201,
    message: 'API key created',
    emits: [apiKeyCreated],
  },
  listApiKeys: {
    method: 'GET',
    path: '/v1/api-keys',
    permission: 'api_keys:read',
    narrows: true,
    summary: 'List API keys',
    description: '`search` covers the name.',
    query: listQuery(['createdAt', 'updatedAt', 'name']).extend({
      environment: Environment.optional(),
      status: KeyStatus.optional(),
      createdBy: id('user').optional(),
      ownerId: id('user').optional(),
    }),
    reply: page(ApiKey),
    message: 'API keys retrieved',
  },
  getApiKey: {
    method: 'GET',
    path: '/v1/api-keys/:id',
    permission: 'api_keys:read',
    narrows: true,
    summary: 'Retrieve an API key',
    params: withId,
    reply: ApiKey,
    message: 'API key retrieved',
  },
  updateApiKey: {
    method: 'PATCH',
    path: '/v1/api-keys/:id',
    permission: 'api_keys:manage',
    narrows: true,
    summary: 'Update an API key',
    description:
      'Changes the given fields. Changes take effect within one second. With a key, you cannot let this or another key work longer than the key that you use, or from other networks.',
    params: withId,
    body: z
      .object({
        name: name().optional(),
        permissions: Permissions.optional(),
        allowedIps: AllowedIps.nullish(),
        expiresAt: timestamp().nullish(),
      })
      .meta({ examples: [{ name: 'Website form', permissions: ['leads:write'] }] }),
    reply: ApiKey,
    message: 'API key updated',
    emits: [apiKeyUpdated],
    errors: { key_not_active: [409, 'The API key is revoked or expired; create a new one'] },
  },
  rotateApiKey: {
    method: 'POST',
    path: '/v1/api-keys/:id/rotate',
    permission: 'api_keys:manage',
    narrows: true,
    summary: 'Rotate an API key',
    description:
      'Creates a key with the same name, permissions and networks. If somebody else owns a key without `permissions`, the new key has those that its owner has now. The old key keeps working for `overlapSeconds`, by default one day. With a key, you cannot rotate a key that works longer than the key that you use, or from other networks.',
    ifMatch: true,
    params: withId,
    body: z.object({
      overlapSeconds: z
        .int({ error: 'Must be a whole number from 0 to 604800' })
        .min(0, { error: 'Must be at least 0' })
        .max(604_800, { error: 'Must be at most 604800, seven days' })
        .describe('The number of seconds for which the old key keeps working, at most seven days')
        .default(86_400),
    }),
    reply: NewApiKey,
    status: 201,
    message: 'API key rotated',
    emits: [apiKeyRotated, apiKeyCreated],
    errors: { key_not_active: [409, 'The API key is revoked or expired; create a new one'] },
  },
  revokeApiKey: {
    method: 'DELETE',
    path: '/v1/api-keys/:id',
    permission: 'api_keys:manage',
    narrows: true,
    summary: 'Revoke an API key',
    description: 'Takes effect within one second. Revoking a revoked key has no effect.',
    params: withId,
    reply: ApiKey,
    example: { status: 'revoked', revokedAt: '2026-03-04T16:40:00.000Z' },
    message: 'API key revoked',
    emits: [apiKeyRevoked],
  },
});
