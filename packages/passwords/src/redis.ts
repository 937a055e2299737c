import type { Log } from '@tandem/process';
import { Redis } from 'ioredis';

const commandTimeoutMs = 50;

/**
 * A Redis connection for optional data: a command answers within 50 ms or throws, and never waits for a connection
 * (D1).
 */
export function connectRedis(url: string, log: Log): Redis {
  const redis = new Redis(url, {
    commandTimeout: commandTimeoutMs,
    connectTimeout: 1_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 100, 1_000),
  });
  // ioredis reconnects by itself; without a listener each failure would crash the process.
  redis.on('error', (error) => log.debug('Redis connection failed', { error }));
  return redis;
}
