import type { Log } from '@tandem/process';
import { Redis } from 'ioredis';

const commandTimeoutMs = 50;
const failuresMax = 5;
const failureWindowMs = 1_000;
const probeMs = 500;

/** Redis as the gateway uses it: every command is answered within 50 ms or counts as failed, and failing Redis is left alone. */
export interface GuardedRedis {
  /** Runs a command; rejects at once while Redis is considered away. */
  run<T>(command: (redis: Redis) => Promise<T>): Promise<T>;
  available(): boolean;
  redis: Redis;
  close(): void;
}

/** Connects with a circuit breaker (D1): open after 5 failures within a second, probed every half second. */
export function guardRedis(url: string, log: Log): GuardedRedis {
  const redis = new Redis(url, {
    commandTimeout: commandTimeoutMs,
    connectTimeout: 1_000,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    retryStrategy: (times) => Math.min(50 * times, probeMs),
  });
  let failures: number[] = [];
  let open = false;
  let probe: NodeJS.Timeout | undefined;
  redis.on('error', () => {});

  const trip = () => {
    open = true;
    log.warn('Redis is away: limits are kept by this process alone');
    probe = setInterval(async () => {
      try {
        await redis.ping();
        clearInterval(probe);
        open = false;
        failures = [];
        log.info('Redis is back');
      } catch {
        // Still away; the next probe asks again.
      }
    }, probeMs);
    probe.unref();
  };

  return {
    redis,
    available: () => !open,
    async run(command) {
      if (open) throw new Error('Redis is away');
      try {
        return await command(redis);
      } catch (error) {
        const now = Date.now();
        failures = [...failures.filter((at) => at > now - failureWindowMs), now];
        if (failures.length >= failuresMax && !open) trip();
        throw error;
      }
    },
    close() {
      clearInterval(probe);
      redis.disconnect();
    },
  };
}
