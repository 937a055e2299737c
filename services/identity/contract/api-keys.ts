import { event, id, isPermission, listQuery, name, operations, page, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const keyStatuses = ['active', 'revoked', 'expired'] as const;
const KeyStatus = z.enum(keyStatuses, { error: `Must be one of ${keyStatuses.join(', ')}` });
const KeyEnvironment = z.enum(['live', 'sandbox'], { error: 'Must be live or sandbox' });

const Permission = z
  .string()
  .max(100)
  .refine(isPermission, { error: 'Not a permission; GET /v1/permissions lists them' });
export const Permissions = z.array(Permission).max(200, { error: 'Must hold at most 200 permissions' });

/** An address or a network in CIDR notation. */
const Network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: 'Must be an IP address or a network such as 203.0.113.0/24',
});
const AllowedIps = z.array(Network).max(100, { error: 'Must hold at most 100 networks' });

export const ApiKey = z.object({
  id: id('api_key'),
  tenantId: id('tenant'),
  name: name(),
  /** What the key begins with. */
  keyPrefix: z.string(),
  last4: z.string(),
  environment: KeyEnvironment,
  status: KeyStatus,
  /** Empty: the key may do what the role of its creator allows at each call. */
  permissions: z.array(z.string()),
  /** Empty: the key works from everywhere. */
  allowedIps: z.array(z.string()),
  createdBy: id('user'),
  /** To within five minutes. */
  lastUsedAt: timestamp().nullable(),
  expiresAt: timestamp().nullable(),
  revokedAt: timestamp().nullable(),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** The one answer that shows the whole key. */
export const NewApiKey = ApiKey.extend({ fullKey: z.string() });

const withId = z.object({ id: id('api_key') });
const keyId = z.object({ keyId: id('api_key') });
const keyEvent = { target: 'api_key', record: ApiKey } as const;

export const apiKeyCreated = event('api_key.created', {
  ...keyEvent,
  description: 'An API key is made',
  action: 'api_key.create',
  data: keyId,
});
export const apiKeyUpdated = event('api_key.updated', {
  ...keyEvent,
  description: 'An API key changes',
  action: 'api_key.update',
  data: keyId,
});
export const apiKeyRevoked = event('api_key.revoked', {
  ...keyEvent,
  description: 'An API key is revoked',
  action: 'api_key.revoke',
  data: keyId,
});
export const apiKeyRotated = event('api_key.rotated', {
  ...keyEvent,
  description: 'An API key is replaced by a new one; the old one works until its expiry',
  action: 'api_key.rotate',
  data: keyId.extend({ newKeyId: id('api_key'), expiresAt: timestamp() }),
});

export const apiKeys = operations({
  createApiKey: {
    method: 'POST',
    path: '/v1/api-keys',
    permission: 'api_keys:manage',
    narrows: true,
    summary: 'Create an API key',
    description:
      'The whole key is in this answer only. Without permissions the key has the role of its creator, as it is at each call, while the creator is active; with some it never goes beyond that role. Permissions above the caller’s own are refused.',
    body: z.object({
      name: name(),
      environment: KeyEnvironment.default('live'),
      permissions: Permissions.optional(),
      expiresAt: timestamp().nullish(),
      allowedIps: AllowedIps.nullish(),
    }),
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
    description: '`search` looks into the name.',
    query: listQuery(['createdAt', 'updatedAt', 'name']).extend({
      environment: KeyEnvironment.optional(),
      status: KeyStatus.optional(),
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
    params: withId,
    body: z.object({
      name: name().optional(),
      permissions: Permissions.optional(),
      allowedIps: AllowedIps.nullish(),
      expiresAt: timestamp().nullish(),
    }),
    reply: ApiKey,
    message: 'API key updated',
    emits: [apiKeyUpdated],
    errors: { key_not_active: [409, 'The API key is revoked or expired'] },
  },
  rotateApiKey: {
    method: 'POST',
    path: '/v1/api-keys/:id/rotate',
    permission: 'api_keys:manage',
    narrows: true,
    summary: 'Replace an API key',
    description:
      'Makes a key with the same name, permissions and networks. The old one goes on working for overlapSeconds, a day by default.',
    ifMatch: true,
    params: withId,
    body: z.object({
      overlapSeconds: z
        .int({ error: 'Must be a whole number from 0 to 604800' })
        .min(0, { error: 'Must be at least 0' })
        .max(604_800, { error: 'Must be at most 604800, seven days' })
        .default(86_400),
    }),
    reply: NewApiKey,
    status: 201,
    message: 'API key rotated',
    emits: [apiKeyRotated, apiKeyCreated],
    errors: { key_not_active: [409, 'The API key is revoked or expired'] },
  },
  revokeApiKey: {
    method: 'DELETE',
    path: '/v1/api-keys/:id',
    permission: 'api_keys:manage',
    narrows: true,
    summary: 'Revoke an API key',
    description: 'Takes effect within a second. Revoking a revoked key changes nothing.',
    params: withId,
    reply: ApiKey,
    message: 'API key revoked',
    emits: [apiKeyRevoked],
  },
});
