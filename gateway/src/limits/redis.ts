import type { Log } from '@tandem/process';
import { Redis } from 'ioredis';
import { createDeadlines } from '../deadlines.ts';

const tickMs = 10;
const failuresMax = 5;
const failureWindowMs = 1_000;
const probeMs = 500;
// A write: Redis may answer reads while it has no memory or is a replica.
const probe = ['probe', '', 'PX', 1_000] as const;

/** Redis as the gateway uses it: a command without an answer in time counts as failed, and failing Redis is left alone. */
export interface GuardedRedis {
  /** Runs a command; rejects when the answer is late, and at once while Redis is considered away. */
  run<T>(command: (redis: Redis) => Promise<T>): Promise<T>;
  available(): boolean;
  /** Checks at once whether Redis is back, without waiting for the next probe. */
  probe(): Promise<void>;
  /** Calls `listener` each time Redis is back. */
  onBack(listener: () => void): void;
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
      void deadlines.of(work, withinMs, () => reject(new Error(`No answer from Redis within ${withinMs} ms`)));
    });
  let failures: number[] = [];
  let open = false;
  let probing: NodeJS.Timeout | undefined;
  redis.on('error', () => {});

  const backListeners: (() => void)[] = [];

  const check = async () => {
    if (!open) return;
    try {
      await inTime(redis.set(...probe));
    } catch {
      // Still away. A frozen server keeps its connection: a new one forgets the commands that wait on it.
      if (redis.status === 'ready') redis.disconnect(true);
      return;
    }
    if (!open) return;
    clearInterval(probing);
    open = false;
    failures = [];
    log.info('Redis is back');
    for (const listener of backListeners) listener();
  };
  const trip = () => {
    open = true;
    log.warn('Redis is away: limits are kept by this process alone');
    probing = setInterval(check, probeMs);
    probing.unref();
  };

  return {
    redis,
    available: () => !open,
    probe: check,
    onBack: (listener) => void backListeners.push(listener),
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
      clearInterval(probing);
      deadlines.close();
      redis.disconnect();
    },
  };
}
