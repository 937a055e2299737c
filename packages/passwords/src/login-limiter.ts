import { countedAddress } from '@tandem/caller';
import type { Log } from '@tandem/process';
import { fail } from '@tandem/service';
import type { Redis } from 'ioredis';

export interface LoginLimiter {
  /**
   * Runs one sign-in attempt; `attempt` resolves to undefined when it failed.
   * @param limit how many failures are accepted within a window; by default five within a minute
   * @throws ApiError 429 once so many attempts of the same address and IP have failed
   */
  guard<T>(
    who: { email: string; ip: string },
    attempt: () => Promise<T | undefined>,
    limit?: FailureLimit,
  ): Promise<T | undefined>;
}

/** A number of failures within a window of time. */
interface FailureLimit {
  failuresMax: number;
  windowMs: number;
}

const fivePerMinute: FailureLimit = { failuresMax: 5, windowMs: 60_000 };
const waitingMax = 20;
const rememberedMax = 50_000;

interface Count {
  failures: number;
  until: number;
}

/**
 * Limits failed sign-ins. Counts in Redis, shared by all processes, and in memory, which works while Redis is down: the
 * limit is never off (D1). Attempts of one address and IP run one at a time, so that concurrency allows no extra
 * guesses.
 * @param key an HMAC of the address and IP, so that neither is stored in Redis
 */
export function loginLimiter(options: {
  redis: Redis;
  namespace: string;
  key: (text: string) => string;
  log: Log;
  now?: () => number;
}): LoginLimiter {
  const { redis, namespace, log, now = Date.now } = options;
  const memory = new Map<string, Count>();
  const queues = new Map<string, { last: Promise<unknown>; waiting: number }>();

  const inMemory = (key: string, { windowMs }: FailureLimit): Count => {
    const known = memory.get(key);
    return known && known.until > now() ? known : { failures: 0, until: now() + windowMs };
  };

  const inRedis = async (key: string): Promise<Count | undefined> => {
    try {
      const [failures, ttl] = await Promise.all([redis.get(key), redis.pttl(key)]);
      return { failures: Number(failures ?? 0), until: now() + Math.max(ttl, 0) };
    } catch (error) {
      log.warn('Redis is unavailable: failed sign-ins are counted in memory', { error });
      return undefined;
    }
  };

  const addFailure = async (key: string, limit: FailureLimit): Promise<void> => {
    if (memory.size >= rememberedMax) forgetOld(memory, now());
    const count = inMemory(key, limit);
    memory.set(key, { ...count, failures: count.failures + 1 });
    try {
      await redis.multi().incr(key).pexpire(key, limit.windowMs, 'NX').exec();
    } catch {
      // The failed read a moment ago was logged.
    }
  };

  return {
    guard({ email, ip }, attempt, limit = fivePerMinute) {
      const key = `${namespace}:login:${options.key(`login ${email} ${countedAddress(ip)}`)}`;
      return oneAtATime(queues, key, async () => {
        const counts = [inMemory(key, limit), await inRedis(key)].filter((count) => count !== undefined);
        const full = counts.find(({ failures }) => failures >= limit.failuresMax);
        if (full) throw fail('too_many_failures', [], { retryAfter: (full.until - now()) / 1_000 });
        const result = await attempt();
        if (result === undefined) await addFailure(key, limit);
        return result;
      });
    },
  };
}

async function oneAtATime<T>(
  queues: Map<string, { last: Promise<unknown>; waiting: number }>,
  key: string,
  work: () => Promise<T>,
): Promise<T> {
  const queue = queues.get(key) ?? { last: Promise.resolve(), waiting: 0 };
  if (queue.waiting >= waitingMax) throw fail('too_many_failures', [], { retryAfter: 1 });
  queues.set(key, queue);
  queue.waiting++;
  const result = queue.last.then(work, work);
  // The next attempt waits for this one, whether it succeeds or fails.
  queue.last = result.catch(() => undefined);
  return result.finally(() => {
    if (--queue.waiting === 0) queues.delete(key);
  });
}

/** Removes expired entries, then the oldest entries until half of the capacity is free. */
function forgetOld(memory: Map<string, Count>, now: number): void {
  for (const [key, { until }] of memory) if (until <= now) memory.delete(key);
  let surplus = memory.size - rememberedMax / 2;
  for (const key of memory.keys()) if (surplus-- > 0) memory.delete(key);
}
