import { randomUUID } from 'node:crypto';
import type { GuardedRedis } from './redis.ts';

const beatMs = 5_000;
const goneAfterMs = 15_000;

/** Tells how many gateways there are, for the share of each while Redis is away. The last known number stays. */
export function announcePresence(redis: GuardedRedis, namespace: string): { gateways(): number; close(): void } {
  const key = `${namespace}:gateways`;
  const me = randomUUID();
  let known = 1;
  const beat = async () => {
    try {
      const now = Date.now();
      await redis.run((client) => client.zadd(key, now, me));
      await redis.run((client) => client.zremrangebyscore(key, 0, now - goneAfterMs));
      known = Math.max(1, await redis.run((client) => client.zcard(key)));
    } catch {
      // Redis is away; the breaker says so.
    }
  };
  const timer = setInterval(beat, beatMs);
  timer.unref();
  redis.redis.on('ready', () => void beat());
  return {
    gateways: () => known,
    close() {
      clearInterval(timer);
      void redis.redis.zrem(key, me).catch(() => {});
    },
  };
}
