import { id, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** An active API key whose hash does not use the current pepper. The key is rehashed when it is used. */
export const OutdatedKey = z.object({
  tenantId: id('tenant'),
  keyId: id('api_key'),
  name: z.string(),
  last4: z.string(),
  lastUsedAt: timestamp().nullable(),
  expiresAt: timestamp().nullable(),
});

/** Data that still depends on a previous pepper; for operators: `npm run admin`. */
export const internalSecrets = operations({
  listOutdatedKeys: {
    method: 'POST',
    path: '/internal/secrets/outdated-keys',
    audience: 'internal',
    summary: 'List active API keys whose hash does not use the current pepper',
    /** `next` of the previous page. */
    body: z.object({ after: z.string().max(64).nullish() }),
    reply: z.object({ keys: z.array(OutdatedKey), next: z.string().nullable() }),
    message: 'Outdated keys listed',
    timeoutMs: 30_000,
    emits: [],
  },
  rehashAddresses: {
    method: 'POST',
    path: '/internal/secrets/rehash-addresses',
    audience: 'internal',
    summary: 'Rehash e-mail addresses with the current pepper, a few tenants at a time',
    /** `next` of the previous call. */
    body: z.object({ after: id('tenant').nullish() }),
    reply: z.object({
      rehashed: z.int(),
      /** Lookup rows of the processed tenants whose address belongs to no user. */
      left: z.int(),
      next: id('tenant').nullable(),
    }),
    message: 'Addresses rehashed',
    timeoutMs: 30_000,
    emits: [],
  },
});
