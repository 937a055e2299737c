/** Lets a few pieces of work of each key run at once; the others of that key wait in the order they came. */
export interface Shares<Key> {
  /**
   * Waits for a place and resolves to what gives it back. Work without a key never waits.
   * @throws ShareTimeout when no place became free in time, or too many wait already
   */
  enter(key: Key | undefined): Promise<() => void>;
}

/** No place became free within the time one may wait for it. */
export class ShareTimeout extends Error {}

const free = () => {};

/**
 * Makes a share for each key: what one tenant does at once must not take everything from all others.
 * @param max how many of one key run at once
 * @param waitMs how long one waits for a place
 * @param waitingMax how many of one key wait at once
 */
export function createShares<Key>(
  max: number,
  waitMs: number,
  waitingMax: number = Number.POSITIVE_INFINITY,
): Shares<Key> {
  const busy = new Map<Key, { count: number; waiting: Set<() => void> }>();

  const leave = (key: Key) => () => {
    const mine = busy.get(key) as { count: number; waiting: Set<() => void> };
    const [next] = mine.waiting;
    // The place goes on to whoever waits longest; only without anybody it becomes free.
    if (next) next();
    else if (--mine.count === 0) busy.delete(key);
  };

  return {
    async enter(key) {
      if (key === undefined) return free;
      const mine = busy.get(key) ?? { count: 0, waiting: new Set() };
      busy.set(key, mine);
      if (mine.count < max) mine.count++;
      else if (mine.waiting.size >= waitingMax) throw new ShareTimeout(`${waitingMax} are waiting already`);
      else {
        await new Promise<void>((resolve, reject) => {
          const go = () => {
            clearTimeout(timer);
            mine.waiting.delete(go);
            resolve();
          };
          const timer = setTimeout(() => {
            mine.waiting.delete(go);
            reject(new ShareTimeout(`No place became free within ${waitMs} ms`));
          }, waitMs);
          mine.waiting.add(go);
        });
      }
      return leave(key);
    },
  };
}
