import type { GuardedRedis } from './redis.ts';
import type { Reporters } from './report-requests.ts';

const beatMs = 5_000;
const goneAfterMs = 15_000;

/** Tracks the live gateway processes. */
export interface Presence {
  /**
   * Number of live gateways, including this one: the last known number while Redis is unavailable, and the expected
   * number until Redis answers for the first time.
   */
  count(): number;
  /** Refreshes the live gateways; undefined until this process has watched long enough to detect stopped ones. */
  living(): Promise<ReadonlySet<string> | undefined>;
  /** Whether every gateway that may have counted calls has reported. */
  areAll(reporters: Reporters): boolean;
  /** Removes a gateway that has announced its shutdown. */
  drop(id: string): void;
  close(): Promise<void>;
}

/**
 * Sends heartbeats to the other gateways and watches theirs: a gateway whose heartbeat has not changed for 15 s counts
 * as stopped. Time in which Redis is unavailable does not count, and clocks need not be synchronized.
 */
export function announcePresence(
  redis: GuardedRedis,
  options: {
    namespace: string;
    gateway: string;
    onGone: () => void;
    expected?: number;
    beatMs?: number;
    goneAfterMs?: number;
  },
): Presence {
  const { gateway, onGone } = options;
  const key = `${options.namespace}:presence`;
  const goneAfter = options.goneAfterMs ?? goneAfterMs;
  const others = new Map<string, { beat: string; seenAt: number }>();
  // Gateways that have announced their shutdown; their last heartbeat may still be in Redis or in a reply in flight.
  const ended = new Set<string>();
  let beats = 0;
  let hasLooked = false;
  let watchingSince: number | undefined;

  const look = async (): Promise<void> => {
    const beatsById = await redis.run((client) => client.hgetall(key));
    const now = performance.now();
    for (const [id, beat] of Object.entries(beatsById))
      if (id !== gateway && !ended.has(id) && others.get(id)?.beat !== beat) others.set(id, { beat, seenAt: now });
    if (watchingSince === undefined) for (const other of others.values()) other.seenAt = now;
    watchingSince ??= now;
    hasLooked = true;
    const gone = [...others].filter(([, { seenAt }]) => now - seenAt > goneAfter).map(([id]) => id);
    if (!gone.length) return;
    for (const id of gone) others.delete(id);
    await redis.run((client) => client.hdel(key, ...gone));
    onGone();
  };
  const beat = async () => {
    try {
      await redis.run((client) => client.hset(key, gateway, ++beats));
      await look();
    } catch {
      watchingSince = undefined;
    }
  };
  const isSure = () => watchingSince !== undefined && performance.now() - watchingSince > goneAfter;
  const timer = setInterval(beat, options.beatMs ?? beatMs);
  timer.unref();
  redis.redis.on('ready', beat);
  if (redis.redis.status === 'ready') void beat();

  return {
    count: () => Math.max(others.size + 1, hasLooked ? 1 : (options.expected ?? 1)),
    // A listener without a known heartbeat may be a gateway that has just started. Once this process has watched for
    // long enough, it is only a stale connection.
    areAll: ({ ids, listeners }) =>
      ids.has(gateway) && [...others.keys()].every((id) => ids.has(id)) && (ids.size >= listeners || isSure()),
    drop(id) {
      others.delete(id);
      ended.add(id);
    },
    async living() {
      await look();
      return isSure() ? new Set([gateway, ...others.keys()]) : undefined;
    },
    async close() {
      clearInterval(timer);
      redis.redis.off('ready', beat);
      await redis.run((client) => client.hdel(key, gateway)).catch(() => {});
    },
  };
}
