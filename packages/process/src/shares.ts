/** Lets a few pieces of work of each key run at once; the others of that key wait in the order they came. */
export interface Shares<Key> {
  /**
   * Waits for a place and resolves to the function that frees it. Work without a key never waits.
   * @param signal ends the wait with its reason
   * @throws ShareTimeout when no place became free in time, or too many wait already
   */
  enter(key: Key | undefined, signal?: AbortSignal): Promise<() => void>;
}

/** No place became free within the time one may wait for it. */
export class ShareTimeout extends Error {}

/** What runs under one key, and what waits for it. */
interface Line {
  running: number;
  waiting: Set<() => void>;
}

/**
 * Makes a share for each key: what one tenant does at once must not take everything from all others.
 * @param max how many of one key run at once
 * @param waitMs how long one waits for a place; `Infinity` sets no limit
 * @param waitingMax how many of one key wait at once
 */
export function createShares<Key>(
  max: number,
  waitMs: number,
  waitingMax: number = Number.POSITIVE_INFINITY,
): Shares<Key> {
  const lines = new Map<Key, Line>();

  const leave = (key: Key, line: Line) => {
    const [next] = line.waiting;
    // The place passes to the oldest waiting piece of work.
    if (next) return next();
    line.running -= 1;
    if (line.running === 0) lines.delete(key);
  };

  return {
    async enter(key, signal) {
      if (key === undefined) return () => {};
      const line = lines.get(key) ?? { running: 0, waiting: new Set() };
      lines.set(key, line);
      if (line.running < max) line.running += 1;
      else if (line.waiting.size >= waitingMax) throw new ShareTimeout(`${waitingMax} are waiting already`);
      else await waitInLine(line, waitMs, signal);
      return () => leave(key, line);
    },
  };
}

function waitInLine(line: Line, waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const endWait = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      line.waiting.delete(start);
    };
    const start = () => {
      endWait();
      resolve();
    };
    const giveUp = (reason: unknown) => {
      endWait();
      reject(reason);
    };
    const abort = () => giveUp(signal?.reason);
    const timer = Number.isFinite(waitMs)
      ? setTimeout(() => giveUp(new ShareTimeout(`No place became free within ${waitMs} ms`)), waitMs)
      : undefined;
    line.waiting.add(start);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
