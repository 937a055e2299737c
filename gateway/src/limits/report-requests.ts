import type { Redis } from 'ioredis';
import type { GuardedRedis } from './redis.ts';

/** Asks the other gateways to report their counts. */
export interface ReportRequests {
  /**
   * Resolves when every listening gateway has reported its counts of a subject to Redis, or after a timeout.
   * @param subject undefined for all subjects
   */
  request(subject: string | undefined, withinMs?: number): Promise<Reporters>;
  /** Announces the shutdown of this gateway after its last report. */
  sayGoodbye(): Promise<void>;
  close(): void;
}

/** The gateways that reported in time. */
export interface Reporters {
  /** Ids of those gateways, including this one; empty while this one is not listening. */
  ids: ReadonlySet<string>;
  /** Number of listening gateways, including this one. */
  listeners: number;
}

type Message = { from: string; number: number; subject?: string | undefined; isGoodbye?: boolean };

/**
 * Sends report requests through Redis and responds to those of other gateways.
 * @param options.report reports the counts of a subject to Redis, or all counts without a subject
 * @param options.onGoodbye called when a gateway announces its shutdown
 * @param options.withinMs time to wait for the other gateways
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
  const respond = async ({ from, number: asked, subject, isGoodbye }: Message) => {
    if (from === gateway) return;
    if (isGoodbye) return options.onGoodbye(from);
    await report(subject);
    await publish(done(from), { from: gateway, number: asked });
  };
  const listener = listen(redis.redis, [channel, done(gateway)], (to, text) => {
    const message = JSON.parse(text) as Message;
    if (to === channel) respond(message).catch(() => {});
    else waiting.get(message.number)?.(message.from);
  });

  return {
    async request(subject, ownWithinMs = withinMs) {
      const requestNumber = ++number;
      const responded = Promise.withResolvers<void>();
      const timer = setTimeout(responded.resolve, ownWithinMs);
      timer.unref();
      let listeners = 0;
      const ids = new Set([gateway]);
      const check = () => {
        if (listeners && ids.size >= listeners) responded.resolve();
      };
      waiting.set(requestNumber, (from) => {
        ids.add(from);
        check();
      });
      try {
        if (!listener.isReady()) {
          // If Redis is unavailable, fail at once and count the failure.
          await redis.run((client) => client.ping());
          await Promise.race([listener.ready(), responded.promise]);
        }
        if (!listener.isReady()) return { ids: new Set(), listeners: 0 };
        listeners = await publish(channel, { from: gateway, number: requestNumber, subject });
        check();
        await responded.promise;
        return { ids, listeners };
      } finally {
        clearTimeout(timer);
        waiting.delete(requestNumber);
      }
    },
    async sayGoodbye() {
      await publish(channel, { from: gateway, number: 0, isGoodbye: true });
    },
    close: () => listener.close(),
  };
}

/** Subscribes on a separate connection that reconnects until Redis is available. */
function listen(redis: Redis, channels: string[], onMessage: (channel: string, text: string) => void) {
  const connection = redis.duplicate({
    maxRetriesPerRequest: null,
    enableOfflineQueue: true,
    enableAutoPipelining: false,
  });
  let isReady = false;
  let listening = Promise.withResolvers<void>();
  connection.on('error', () => {});
  // A server that vanishes does not close its connections. Only `redis` detects that, because this one sends nothing.
  const reconnect = () => {
    if (connection.status === 'ready') connection.disconnect(true);
  };
  redis.on('close', reconnect);
  connection.on('close', () => {
    if (isReady) listening = Promise.withResolvers();
    isReady = false;
  });
  // ioredis resubscribes after each reconnect, but emits no event when that is done.
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
