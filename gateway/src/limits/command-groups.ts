import type { ChainableCommander } from 'ioredis';
import type { GuardedRedis } from './redis.ts';

/**
 * Sends a command in one pipeline with all other waiting commands. `add` is called when the pipeline is built: it adds
 * one command and returns the number of calls that the command counts.
 */
export type SendInGroup = (add: (pipeline: ChainableCommander) => number) => Promise<unknown>;

interface Command {
  add: (pipeline: ChainableCommander) => number;
  resolve: (reply: unknown) => void;
  reject: (error: unknown) => void;
}

// Delay after a small group. A round trip costs gateway and Redis as much as counting 20 calls.
const delayMs = 2;
// A busy gateway collects this many calls without a delay.
const smallGroupCalls = 6;
// After a delay that collected no other call, up to 8 groups skip it: a client may be sending requests sequentially.
const skipsMax = 8;

/**
 * Sends commands to Redis in groups, one group at a time. Commands that arrive while a group is in flight, in the same
 * turn of the event loop, or within 2 ms of a small group are sent with the next one. If Redis rejects every command of
 * a group, as it does when out of memory or as a read-only replica, that counts as a failure of Redis.
 */
export function createCommandGroups(redis: GuardedRedis): SendInGroup {
  let waiting: Command[] = [];
  let isPlanned = false;
  let last = { sentAt: Number.NEGATIVE_INFINITY, calls: 0 };
  /** Number of groups that skip the delay after the next unsuccessful one, and how many of those remain. */
  let skips = 2;
  let skipsLeft = 0;

  const send = (group: Command[]) =>
    redis.run(async (client) => {
      const pipeline = client.pipeline();
      for (const { add } of group) last.calls += add(pipeline);
      const replies = (await pipeline.exec()) ?? [];
      const [error] = replies[0] ?? [new Error('Redis did not respond')];
      if (error && replies.every(([one]) => one)) throw error;
      return replies;
    });

  const sendAll = async (hasWaited: boolean) => {
    const group = waiting;
    waiting = [];
    last = { sentAt: performance.now(), calls: 0 };
    try {
      for (const [index, [error, reply]] of (await send(group)).entries()) {
        const { resolve, reject } = group[index] as Command;
        if (error) reject(error);
        else resolve(reply);
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
    const isSoon = performance.now() - last.sentAt < delayMs;
    if (isSoon && last.calls < smallGroupCalls && !skipsLeft) setTimeout(sendAll, delayMs, true);
    else setImmediate(sendAll, false);
  };

  return (add) =>
    new Promise((resolve, reject) => {
      waiting.push({ add, resolve, reject });
      if (!isPlanned) plan();
    });
}
