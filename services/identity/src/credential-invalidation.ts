import { type CredentialChange, credentialChannel } from '@tandem/identity-contract';
import type { Log } from '@tandem/process';
import type { Redis } from 'ioredis';
import type { z } from 'zod';

/** Invalidates cached credentials in all gateways. */
export type InvalidateCredentials = (change: z.output<typeof CredentialChange>) => Promise<void>;

/**
 * Publishes invalidations over Redis. An unavailable Redis costs at most its 50 ms timeout and fails no request,
 * because gateway cache entries expire after a few seconds (D5).
 */
export function credentialInvalidation(redis: Redis, log: Log): InvalidateCredentials {
  return async (change) => {
    try {
      await redis.publish(credentialChannel, JSON.stringify(change));
    } catch (error) {
      log.warn('publishing a credential change to the gateways failed', { change, error });
    }
  };
}
