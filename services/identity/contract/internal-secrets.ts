import { id, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** An active API key whose hash is not under the current pepper. It is rehashed when it is used. */
export const OutdatedKey = z.object({
  tenantId: id('tenant'),
  keyId: id('api_key'),
  name: z.string(),
  last4: z.string(),
  lastUsedAt: timestamp().nullable(),
  expiresAt: timestamp().nullable(),
});

/** What still depends on a pepper that is no longer current; for operators: `npm run admin`. */
export const internalSecrets = operations({
  listOutdatedKeys: {
    method: 'POST',
    path: '/internal/secrets/outdated-keys',
    audience: 'internal',
    summary: 'Active API keys whose hash is not under the current pepper, page by page',
    /** `next` of the page before. */
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
    summary: 'Replace the hashes of e-mail addresses by those under the current pepper, some tenants at a time',
    /** `next` of the call before. */
    body: z.object({ after: id('tenant').nullish() }),
    reply: z.object({
      rehashed: z.int(),
      /** Rows of the tenants visited whose address no user has any more. */
      left: z.int(),
      next: id('tenant').nullable(),
    }),
    message: 'Addresses rehashed',
    timeoutMs: 30_000,
    emits: [],
  },
});
