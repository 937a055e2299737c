import { randomUUID } from 'node:crypto';
import type { Log } from '@tandem/process';
import { Redis } from 'ioredis';
import { z } from 'zod';

/**
 * Tells the streams of all instances that notifications of users changed. It only wakes them: they read the changes
 * from the database, and look there from time to time in any case, so a lost message costs a delay.
 */
export interface FeedWakeups {
  /** Call it after the commit. */
  changed(tenantId: number, userIds: readonly number[]): void;
  /** Calls `wake` when notifications of the user may have changed; returns a function that ends it. */
  listen(tenantId: number, userId: number, wake: () => void): () => void;
  /** Whether messages of other instances arrive. */
  isConnected(): boolean;
  close(): void;
}

const Message = z.object({ from: z.string(), tenantId: z.int(), userIds: z.array(z.int()) });

/**
 * Connects the wake-ups of one process over Redis.
 * @param options.redis sends the messages; a second connection, opened with the first stream, receives them
 */
export function createFeedWakeups(options: {
  redis: Redis;
  redisUrl: string;
  namespace: string;
  log: Log;
}): FeedWakeups {
  const { redis, log } = options;
  const channel = `${options.namespace}:notification-feeds`;
  const from = randomUUID();
  const listeners = new Map<string, Set<() => void>>();
  let subscriber: Redis | undefined;

  const wake = (tenantId: number, userIds: readonly number[]) => {
    for (const userId of userIds) for (const listener of listeners.get(keyOf(tenantId, userId)) ?? []) listener();
  };
  const wakeAll = () => {
    for (const all of listeners.values()) for (const listener of all) listener();
  };
  const receive = (text: string) => {
    const message = Message.safeParse(parsed(text));
    if (!message.success) wakeAll();
    else if (message.data.from !== from) wake(message.data.tenantId, message.data.userIds);
  };

  return {
    changed(tenantId, userIds) {
      wake(tenantId, userIds);
      redis.publish(channel, JSON.stringify({ from, tenantId, userIds })).catch((error: unknown) => {
        log.debug('waking the streams of other instances failed', { error });
      });
    },
    listen(tenantId, userId, listener) {
      subscriber ??= subscribe(options.redisUrl, { channel, receive, onGap: wakeAll });
      const key = keyOf(tenantId, userId);
      const ofUser = listeners.get(key) ?? new Set();
      listeners.set(key, ofUser.add(listener));
      return () => {
        ofUser.delete(listener);
        if (!ofUser.size && listeners.get(key) === ofUser) listeners.delete(key);
      };
    },
    isConnected: () => subscriber?.status === 'ready',
    close() {
      subscriber?.disconnect();
    },
  };
}

function keyOf(tenantId: number, userId: number): string {
  return `${tenantId} ${userId}`;
}

function subscribe(
  url: string,
  { channel, receive, onGap }: { channel: string; receive: (text: string) => void; onGap: () => void },
): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: (times) => Math.min(100 * times, 1_000) });
  redis.on('error', () => {});
  // Messages that were published while the connection was down were missed.
  redis.on('ready', onGap);
  redis.on('message', (_channel, text) => receive(text));
  void redis.subscribe(channel).catch(() => {});
  return redis;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
