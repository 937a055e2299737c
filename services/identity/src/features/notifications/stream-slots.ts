import { randomUUID } from 'node:crypto';
import type { Log } from '@tandem/process';
import type { Redis } from 'ioredis';

/** How many streams a user may have open: one for each tab. */
export const streamsPerUserMax = 10;
/** How many streams the users of a tenant may have open. */
export const streamsPerTenantMax = 200;

/** After this time the slots of a process that was killed are free. */
export const leaseSeconds = 45;
const leaseDefaultMs = leaseSeconds * 1_000;
const renewalsPerLease = 3;

/** Counts open streams of users and tenants, over all instances. */
export interface StreamSlots {
  /** Takes a slot; resolves to the function that gives it back, or undefined if there are too many streams. */
  enter(tenantId: number, userId: number): Promise<(() => void) | undefined>;
  close(): void;
}

// KEYS: the streams of the tenant, and of the user. ARGV: stream, lease, maxima. A slot that was not renewed is free.
const enterScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for index, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  if redis.call('ZCARD', key) >= tonumber(ARGV[2 + index]) then return 0 end
end
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, now + ARGV[2], ARGV[1])
  redis.call('PEXPIRE', key, ARGV[2])
end
return 1`;

// KEYS: as above. ARGV: stream, lease. Adds slots that Redis has lost.
const renewScript = `
local time = redis.call('TIME')
local expiry = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2]
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, expiry, ARGV[1])
  redis.call('PEXPIRE', key, ARGV[2])
end`;

interface Held {
  id: string;
  keys: [ofTenant: string, ofUser: string];
}

/**
 * Counts in Redis, under leases of 45 s that each process renews every 15 s, so that the slots of a process that was killed
 * become free. A process also counts its own streams: while Redis is unavailable, the limits hold for each process.
 */
export function createStreamSlots(options: {
  redis: Redis;
  namespace: string;
  log: Log;
  leaseMs?: number;
}): StreamSlots {
  const { redis, namespace, log, leaseMs = leaseDefaultMs } = options;
  const held = new Map<string, Held>();
  const counts = new Map<string, number>();
  const add = (keys: readonly string[], change: number) => {
    for (const key of keys) {
      const count = (counts.get(key) ?? 0) + change;
      if (count) counts.set(key, count);
      else counts.delete(key);
    }
  };
  const failed = (error: unknown) => log.debug('counting streams in Redis failed', { error });
  const isFree = async ({ id, keys }: Held): Promise<boolean> => {
    try {
      return (await redis.eval(enterScript, 2, ...keys, id, leaseMs, streamsPerTenantMax, streamsPerUserMax)) === 1;
    } catch (error) {
      failed(error);
      return true;
    }
  };
  const release = ({ keys, id }: Held) => {
    for (const key of keys) redis.zrem(key, id).catch(failed);
  };
  const timer = setInterval(() => {
    for (const { keys, id } of held.values()) redis.eval(renewScript, 2, ...keys, id, leaseMs).catch(failed);
  }, leaseMs / renewalsPerLease).unref();

  return {
    async enter(tenantId, userId) {
      const prefix = `${namespace}:streams:{${tenantId}}`;
      const slot: Held = { id: randomUUID(), keys: [prefix, `${prefix}:${userId}`] };
      const [ofTenant, ofUser] = slot.keys;
      if ((counts.get(ofTenant) ?? 0) >= streamsPerTenantMax || (counts.get(ofUser) ?? 0) >= streamsPerUserMax)
        return undefined;
      // Before the call: requests that wait for Redis at the same time must not pass the limit together.
      add(slot.keys, 1);
      if (!(await isFree(slot))) {
        add(slot.keys, -1);
        return undefined;
      }
      held.set(slot.id, slot);
      return () => {
        // Called twice, it must not give back the slot of another stream.
        if (!held.delete(slot.id)) return;
        add(slot.keys, -1);
        release(slot);
      };
    },
    close: () => clearInterval(timer),
  };
}
