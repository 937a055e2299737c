import { countedAddress } from '@tandem/caller';
import type { Log } from '@tandem/process';
import { fail } from '@tandem/service';
import type { Redis } from 'ioredis';

export interface LoginLimiter {
  /**
   * Runs one attempt to sign in; `attempt` resolves to undefined when it failed.
   * @throws 429 once five attempts of the same address and IP have failed within a minute
   */
  guard<T>(who: { email: string; ip: string }, attempt: () => Promise<T | undefined>): Promise<T | undefined>;
}

const failuresMax = 5;
const windowMs = 60_000;
const waitingMax = 20;
const rememberedMax = 50_000;

interface Count {
  failures: number;
  until: number;
}

/**
 * Counts in Redis, so that all processes count together, and in memory, which goes on when Redis is away: the limit is
 * never off (D1). Attempts of one address and IP run one after the other, so that many at once are not more guesses.
 * @param key an HMAC of the address and IP: neither stands in Redis
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
  const turns = new Map<string, { last: Promise<unknown>; waiting: number }>();

  const inMemory = (key: string): Count => {
    const known = memory.get(key);
    return known && known.until > now() ? known : { failures: 0, until: now() + windowMs };
  };

  const inRedis = async (key: string): Promise<Count | undefined> => {
    try {
      const [failures, ttl] = await Promise.all([redis.get(key), redis.pttl(key)]);
      return { failures: Number(failures ?? 0), until: now() + Math.max(ttl, 0) };
    } catch (error) {
      log.warn('sign-in failures are counted in memory only', { error });
      return undefined;
    }
  };

  const addFailure = async (key: string): Promise<void> => {
    if (memory.size >= rememberedMax) forgetOld(memory, now());
    const count = inMemory(key);
    memory.set(key, { ...count, failures: count.failures + 1 });
    try {
      await redis.multi().incr(key).pexpire(key, windowMs, 'NX').exec();
    } catch {
      // Said in the log when it was read a moment ago.
    }
  };

  return {
    guard({ email, ip }, attempt) {
      const key = `${namespace}:login:${options.key(`login ${email} ${countedAddress(ip)}`)}`;
      return inTurn(turns, key, async () => {
        const counts = [inMemory(key), await inRedis(key)].filter((count) => count !== undefined);
        const full = counts.find(({ failures }) => failures >= failuresMax);
        if (full) throw fail('too_many_failures', [], { retryAfter: (full.until - now()) / 1_000 });
        const result = await attempt();
        if (result === undefined) await addFailure(key);
        return result;
      });
    },
  };
}

async function inTurn<T>(
  turns: Map<string, { last: Promise<unknown>; waiting: number }>,
  key: string,
  work: () => Promise<T>,
): Promise<T> {
  const turn = turns.get(key) ?? { last: Promise.resolve(), waiting: 0 };
  if (turn.waiting >= waitingMax) throw fail('too_many_failures', [], { retryAfter: 1 });
  turns.set(key, turn);
  turn.waiting++;
  const mine = turn.last.then(work, work);
  // The next one waits for this one, however it ends.
  turn.last = mine.catch(() => undefined);
  return mine.finally(() => {
    if (--turn.waiting === 0) turns.delete(key);
  });
}

/** Makes room by what is over; if nothing is, the oldest half goes. */
function forgetOld(memory: Map<string, Count>, now: number): void {
  for (const [key, { until }] of memory) if (until <= now) memory.delete(key);
  let surplus = memory.size - rememberedMax / 2;
  for (const key of memory.keys()) if (surplus-- > 0) memory.delete(key);
}
