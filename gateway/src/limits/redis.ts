import type { Log } from '@tandem/process';
import { Redis } from 'ioredis';
import { createDeadlines } from '../deadlines.ts';

const tickMs = 10;
const failuresMax = 5;
const failureWindowMs = 1_000;
const probeMs = 500;
// A write, because Redis may answer reads while it is out of memory or a replica.
const probe = ['probe', '', 'PX', 1_000] as const;

/** Redis with command timeouts and a circuit breaker. */
export interface GuardedRedis {
  /** Runs a command; rejects on timeout, and immediately while the breaker is open. */
  run<T>(command: (redis: Redis) => Promise<T>): Promise<T>;
  available(): boolean;
  /** Probes Redis immediately if the breaker is open. */
  probe(): Promise<void>;
  /** Calls `listener` each time the breaker closes. */
  onBack(listener: () => void): void;
  redis: Redis;
  close(): void;
}

/**
 * Connects with a circuit breaker (D1): open after 5 failures within a second, probed every half second.
 * @param timeoutMs timeout of each command
 */
export function guardRedis(url: string, log: Log, timeoutMs: number): GuardedRedis {
  const redis = new Redis(url, {
    connectTimeout: 1_000,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: (times) => Math.min(50 * times, probeMs),
  });
  const deadlines = createDeadlines(tickMs);
  const inTime = <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      work.then(resolve, reject);
      void deadlines.of(work, timeoutMs, () => reject(new Error(`No response from Redis within ${timeoutMs} ms`)));
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
      // A frozen server keeps its connection open, so reconnect to discard pending commands.
      if (redis.status === 'ready') redis.disconnect(true);
      return;
    }
    if (!open) return;
    clearInterval(probing);
    open = false;
    failures = [];
    log.info('Redis is available again');
    for (const listener of backListeners) listener();
  };
  const trip = () => {
    open = true;
    log.warn('Redis is unavailable: this process enforces rate limits locally');
    probing = setInterval(check, probeMs);
    probing.unref();
  };

  return {
    redis,
    available: () => !open,
    probe: check,
    onBack: (listener) => void backListeners.push(listener),
    async run(command) {
      if (open) throw new Error('Redis is unavailable');
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
