import { randomUUID } from 'node:crypto';
import type { Log } from '@tandem/process';
import type { GuardedRedis } from './redis.ts';

/** Restores the counters after Redis has lost some of them. */
export interface Recovery {
  /** Starts a recovery, unless another gateway runs one or this one started within the last second. */
  begin(): void;
}

const startEveryMs = 1_000;
const collectWithinMs = 15_000;
// Expiry of the lock: another gateway retries if this one stops during the recovery.
const collectingMs = 2 * collectWithinMs;

const beginCollecting = `
local epoch = redis.call('GET', KEYS[1])
if epoch and epoch ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;
const endCollecting = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return end
if ARGV[2] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[2]) end`;

const completePrefix = 'complete:';

/** Key of the epoch: a random id for the time since the counters were last complete. It is lost together with them. */
export function epochKey(namespace: string): string {
  return `${namespace}:epoch`;
}

/** Whether every gateway has reported its counts for an epoch. */
export function isComplete(epoch: string): boolean {
  return epoch.startsWith(completePrefix);
}

/**
 * Collects the counts of all gateways, then starts a new epoch. A gateway that reads a complete epoch may rely on the
 * counters.
 * @param options.epoch the epoch known to this gateway, which the recovery replaces
 * @param options.collect resolves to whether every gateway has reported all its counts
 */
export function createRecovery(options: {
  redis: GuardedRedis;
  namespace: string;
  log: Log;
  epoch: () => string;
  collect: (withinMs: number) => Promise<boolean>;
}): Recovery {
  const { redis, log } = options;
  const key = epochKey(options.namespace);
  let startedAt = Number.NEGATIVE_INFINITY;

  const recover = async () => {
    const id = randomUUID();
    const collecting = `collecting:${id}`;
    const isAcquired = await redis.run((client) =>
      client.eval(beginCollecting, 1, key, options.epoch(), collecting, collectingMs),
    );
    if (!isAcquired) return;
    log.info('counters in Redis are incomplete; all gateways report their counts');
    const isDone = await options.collect(collectWithinMs).catch(() => false);
    await redis.run((client) => client.eval(endCollecting, 1, key, collecting, isDone ? completePrefix + id : ''));
  };

  return {
    begin() {
      if (performance.now() - startedAt < startEveryMs) return;
      startedAt = performance.now();
      recover().catch((error) => log.warn('counters in Redis are still incomplete', { error }));
    },
  };
}
