import type { Log } from '@tandem/process';
import { Redis } from 'ioredis';
import { createDeadlines } from '../deadlines.ts';

const tickMs = 10;
const failuresMax = 5;
const failureWindowMs = 1_000;
const probeMs = 500;

/** Redis as the gateway uses it: a command without an answer in time counts as failed, and failing Redis is left alone. */
export interface GuardedRedis {
  /** Runs a command; rejects when the answer is late, and at once while Redis is considered away. */
  run<T>(command: (redis: Redis) => Promise<T>): Promise<T>;
  available(): boolean;
  redis: Redis;
  close(): void;
}

/**
 * Connects with a circuit breaker (D1): open after 5 failures within a second, probed every half second.
 * @param withinMs the time a command has for its answer
 */
export function guardRedis(url: string, log: Log, withinMs: number): GuardedRedis {
  const redis = new Redis(url, {
    connectTimeout: 1_000,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    retryStrategy: (times) => Math.min(50 * times, probeMs),
  });
  const deadlines = createDeadlines(tickMs);
  const inTime = <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      work.then(resolve, reject);
      deadlines.of(work, withinMs, () => reject(new Error(`No answer from Redis within ${withinMs} ms`)));
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
        await inTime(redis.ping());
        clearInterval(probe);
        open = false;
        failures = [];
        log.info('Redis is back');
      } catch {
        // Still away. A frozen server keeps its connection: a new one forgets the commands that wait on it.
        if (redis.status === 'ready') redis.disconnect(true);
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
        return await inTime(command(redis));
      } catch (error) {
        const now = Date.now();
        failures = [...failures.filter((at) => at > now - failureWindowMs), now];
        if (failures.length >= failuresMax && !open) trip();
        throw error;
      }
    },
    close() {
      clearInterval(probe);
      deadlines.close();
      redis.disconnect();
    },
  };
}
