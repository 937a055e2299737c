import type { ChainableCommander } from 'ioredis';
import type { GuardedRedis } from './redis.ts';

/**
 * Sends a command together with all others that wait. `add` is called when it is sent: it adds one command, and returns how
 * many calls that counts.
 */
export type SendInGroup = (add: (pipeline: ChainableCommander) => number) => Promise<unknown>;

interface Command {
  add: (pipeline: ChainableCommander) => number;
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
}

// Writing a group and reading its answer takes gateway and Redis as long as counting twenty calls.
const apartMs = 2;
// So many calls come together without waiting when the gateway is busy enough.
const fewCalls = 6;
// Up to 8 groups do not wait after one that waited for nothing: a client may send one request after the other.
const skipsMax = 8;

/**
 * Sends commands to Redis in groups. One group is under way at a time; commands that come meanwhile, in the same turn of the
 * event loop, or within 2 ms of a small group leave with the next one. When Redis refuses a whole group, as it does without
 * memory or as a replica, that counts as a failure of Redis.
 */
export function createCommandGroups(redis: GuardedRedis): SendInGroup {
  let waiting: Command[] = [];
  let isPlanned = false;
  let last = { sentAt: Number.NEGATIVE_INFINITY, calls: 0 };
  /** How many groups do not wait after the next one that waits for nothing, and how many are left of those. */
  let skips = 2;
  let skipsLeft = 0;

  const send = (group: Command[]) =>
    redis.run(async (client) => {
      const pipeline = client.pipeline();
      for (const { add } of group) last.calls += add(pipeline);
      const answers = (await pipeline.exec()) ?? [];
      const [error] = answers[0] ?? [new Error('Redis did not answer')];
      if (error && answers.every(([one]) => one)) throw error;
      return answers;
    });

  const sendAll = async (hasWaited: boolean) => {
    const group = waiting;
    waiting = [];
    last = { sentAt: performance.now(), calls: 0 };
    try {
      for (const [index, [error, answer]] of (await send(group)).entries()) {
        const { resolve, reject } = group[index] as Command;
        if (error) reject(error);
        else resolve(answer);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    if (!hasWaited) skipsLeft = Math.max(0, skipsLeft - 1);
    else if (last.calls > 1) skips = 2;
    else [skipsLeft, skips] = [skips, Math.min(2 * skips, skipsMax)];
    isPlanned = false;
    if (waiting.length) plan();
  };

  const plan = () => {
    isPlanned = true;
    const isSoon = performance.now() - last.sentAt < apartMs;
    if (isSoon && last.calls < fewCalls && !skipsLeft) setTimeout(sendAll, apartMs, true);
    else setImmediate(sendAll, false);
  };

  return (add) =>
    new Promise((resolve, reject) => {
      waiting.push({ add, resolve, reject });
      if (!isPlanned) plan();
    });
}
