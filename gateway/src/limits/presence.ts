import type { GuardedRedis } from './redis.ts';
import type { Reporters } from './report-requests.ts';

const beatMs = 5_000;
const goneAfterMs = 15_000;

/** Which gateway processes there are. */
export interface Presence {
  /**
   * How many live, this one included. While Redis is away the last known number stays; before Redis has answered it is the
   * number expected.
   */
  count(): number;
  /** Looks again; undefined until this process has watched for long enough to know that a missing gateway has ended. */
  living(): Promise<ReadonlySet<string> | undefined>;
  /** Whether all gateways that may have counted calls are among those that have reported. */
  areAll(reporters: Reporters): boolean;
  /** Drops a gateway that has said that it ends. */
  drop(id: string): void;
  close(): Promise<void>;
}

/**
 * Announces this process to the other gateways and watches them: one whose beat has not changed for 15 s has ended. Nothing is
 * concluded from time in which Redis was away, and no gateway needs the right time.
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
  // Gateways that have said goodbye, whose last beat may still be in Redis or in an answer under way.
  const ended = new Set<string>();
  let beats = 0;
  let hasLooked = false;
  let watchingSince: number | undefined;

  const look = async (): Promise<void> => {
    const held = await redis.run((client) => client.hgetall(key));
    const now = performance.now();
    for (const [id, beat] of Object.entries(held))
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
    // One that listens but is not known yet may have begun a moment ago. Later it is one that is silent, and not present.
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
