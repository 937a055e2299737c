import type { Redis } from 'ioredis';
import type { GuardedRedis } from './redis.ts';

/** A command that was given to Redis, and the number of calls that it counts. */
interface Sent<Reply> {
  reply: Promise<Reply>;
  calls: number;
}

/** Sends a command in one group with all other waiting commands. `give` is called when the group is sent. */
export type SendInGroup = <Reply>(give: (client: Redis) => Sent<Reply>) => Promise<Reply>;

interface Command {
  give(client: Redis): Sent<unknown>;
  resolve(reply: unknown): void;
  reject(error: unknown): void;
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
      const sent = inOneWrite(client, () => group.map(({ give }) => give(client)));
      for (const { calls } of sent) last.calls += calls;
      const replies = await Promise.allSettled(sent.map(({ reply }) => reply));
      const [first] = replies;
      if (first?.status === 'rejected' && replies.every(({ status }) => status === 'rejected')) throw first.reason;
      return replies;
    });

  const sendAll = async (hasWaited: boolean) => {
    const group = waiting;
    waiting = [];
    last = { sentAt: performance.now(), calls: 0 };
    try {
      for (const [index, reply] of (await send(group)).entries()) {
        const { resolve, reject } = group[index] as Command;
        if (reply.status === 'rejected') reject(reply.reason);
        else resolve(reply.value);
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

  return <Reply>(give: (client: Redis) => Sent<Reply>) =>
    new Promise<Reply>((resolve, reject) => {
      waiting.push({ give, resolve, reject });
      if (!isPlanned) plan();
    });
}

/**
 * Sends the commands that `give` gives to the client in one write. A pipeline of ioredis does the same, but copies every
 * command of the client into a new object, which V8 moved to the old generation: a third of all that it allocated.
 */
function inOneWrite<Result>({ status, stream }: Redis, give: () => Result): Result {
  if (status !== 'ready') throw new Error('Redis is not connected');
  stream.cork();
  try {
    return give();
  } finally {
    stream.uncork();
  }
}
