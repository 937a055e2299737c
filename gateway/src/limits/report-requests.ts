import type { Redis } from 'ioredis';
import type { GuardedRedis } from './redis.ts';

/** Asks the other gateways for what they have counted. */
export interface ReportRequests {
  /**
   * Resolves when every gateway that listens has reported its counts of a subject to Redis, or time is up.
   * @param subject undefined for all subjects
   */
  request(subject: string | undefined, withinMs?: number): Promise<Reporters>;
  /** Tells the other gateways that this one ends, with all its counts in Redis. */
  sayGoodbye(): Promise<void>;
  close(): void;
}

/** The gateways that reported in time. */
export interface Reporters {
  /** The gateways that have, this one included; none while this one does not listen. */
  ids: ReadonlySet<string>;
  /** How many gateways listen, this one included. */
  listeners: number;
}

type Message = { from: string; number: number; subject?: string | undefined; isGoodbye?: boolean };

/**
 * Listens on Redis for requests to report, and sends them.
 * @param options.report brings the counts of a subject to Redis, or all of them without a subject
 * @param options.onGoodbye is called when a gateway says that it ends
 * @param options.withinMs how long to wait for the others
 */
export function listenForReportRequests(options: {
  redis: GuardedRedis;
  namespace: string;
  gateway: string;
  report: (subject: string | undefined) => Promise<void>;
  onGoodbye: (gateway: string) => void;
  withinMs: number;
}): ReportRequests {
  const { redis, gateway, report, withinMs } = options;
  const channel = `${options.namespace}:report-requests`;
  const done = (id: string) => `${channel}:${id}`;
  const waiting = new Map<number, (from: string) => void>();
  let number = 0;

  const publish = (to: string, message: Message) => redis.run((client) => client.publish(to, JSON.stringify(message)));
  const answer = async ({ from, number: asked, subject, isGoodbye }: Message) => {
    if (from === gateway) return;
    if (isGoodbye) return options.onGoodbye(from);
    await report(subject);
    await publish(done(from), { from: gateway, number: asked });
  };
  const listener = listen(redis.redis, [channel, done(gateway)], (to, text) => {
    const message = JSON.parse(text) as Message;
    if (to === channel) answer(message).catch(() => {});
    else waiting.get(message.number)?.(message.from);
  });

  return {
    async request(subject, ownWithinMs = withinMs) {
      const mine = ++number;
      const answered = Promise.withResolvers<void>();
      const timer = setTimeout(answered.resolve, ownWithinMs);
      timer.unref();
      let listeners = 0;
      const ids = new Set([gateway]);
      const check = () => {
        if (listeners && ids.size >= listeners) answered.resolve();
      };
      waiting.set(mine, (from) => {
        ids.add(from);
        check();
      });
      try {
        if (!listener.isReady()) {
          // Redis that is away must fail at once, and count as a failure.
          await redis.run((client) => client.ping());
          await Promise.race([listener.ready(), answered.promise]);
        }
        if (!listener.isReady()) return { ids: new Set(), listeners: 0 };
        listeners = await publish(channel, { from: gateway, number: mine, subject });
        check();
        await answered.promise;
        return { ids, listeners };
      } finally {
        clearTimeout(timer);
        waiting.delete(mine);
      }
    },
    async sayGoodbye() {
      await publish(channel, { from: gateway, number: 0, isGoodbye: true });
    },
    close: () => listener.close(),
  };
}

/** Subscribes by a connection of its own, again and again while Redis is away. */
function listen(redis: Redis, channels: string[], onMessage: (channel: string, text: string) => void) {
  const connection = redis.duplicate({
    maxRetriesPerRequest: null,
    enableOfflineQueue: true,
    enableAutoPipelining: false,
  });
  let isReady = false;
  let listening = Promise.withResolvers<void>();
  connection.on('error', () => {});
  // A server that vanished closes no connection. Nothing is ever sent on this one, so only the other one notices.
  const reconnect = () => {
    if (connection.status === 'ready') connection.disconnect(true);
  };
  redis.on('close', reconnect);
  connection.on('close', () => {
    if (isReady) listening = Promise.withResolvers();
    isReady = false;
  });
  // ioredis subscribes again after each reconnect, but does not say when that is done.
  connection.on('ready', () => {
    connection.subscribe(...channels).then(
      () => {
        isReady = true;
        listening.resolve();
      },
      () => {},
    );
  });
  connection.on('message', onMessage);
  return {
    isReady: () => isReady,
    ready: () => listening.promise,
    close() {
      redis.off('close', reconnect);
      connection.disconnect();
    },
  };
}
