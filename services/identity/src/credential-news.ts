import { type CredentialChange, credentialChannel } from '@tandem/identity-contract';
import type { Log } from '@tandem/process';
import type { Redis } from 'ioredis';
import type { z } from 'zod';

/** Tells the gateways to forget what they know of a credential. */
export type CredentialNews = (change: z.output<typeof CredentialChange>) => Promise<void>;

/**
 * Publishes on Redis. A Redis that is away delays nobody for more than its 50 ms and fails nothing: gateways forget
 * by themselves after a few seconds (D5).
 */
export function credentialNews(redis: Redis, log: Log): CredentialNews {
  return async (change) => {
    try {
      await redis.publish(credentialChannel, JSON.stringify(change));
    } catch (error) {
      log.warn('gateways not told of a changed credential', { change, error });
    }
  };
}
