/** A concurrency limit per key. Excess work of a key waits in order of arrival. */
export interface Shares<Key> {
  /**
   * Waits for a slot and resolves to the function that releases it. Work without a key never waits.
   * @param signal aborts the wait with its reason
   * @param ownWaitMs how long this work waits, instead of the wait of all
   * @throws ShareTimeoutError when no slot became free in time, or too much work of the key is waiting
   */
  enter(key: Key | undefined, signal?: AbortSignal, ownWaitMs?: number): Promise<() => void>;
}

/** No slot became free within the time limit. */
export class ShareTimeoutError extends Error {}

// Idle lines are kept: adding and removing one with every request makes V8 allocate new tables for the map.
const idleMax = 1_000;

/** The running and waiting work of one key. */
interface Line {
  running: number;
  waiting: Set<() => void>;
}

/**
 * Creates a concurrency limit per key, so that one tenant cannot use all capacity.
 * @param max how much work of one key runs at once
 * @param waitMs how long work waits for a slot; `Infinity` sets no limit
 * @param waitingMax how much work of one key may wait
 */
export function createShares<Key>(
  max: number,
  waitMs: number,
  waitingMax: number = Number.POSITIVE_INFINITY,
): Shares<Key> {
  const lines = new Map<Key, Line>();

  const leave = (key: Key, line: Line) => {
    const [next] = line.waiting;
    // Oldest waiting work first.
    if (next) return next();
    line.running -= 1;
    if (line.running === 0 && lines.size > idleMax) lines.delete(key);
  };

  return {
    async enter(key, signal, ownWaitMs = waitMs) {
      if (key === undefined) return () => {};
      const line = lines.get(key) ?? { running: 0, waiting: new Set() };
      lines.set(key, line);
      if (line.running < max) line.running += 1;
      else if (line.waiting.size >= waitingMax)
        throw new ShareTimeoutError(`The queue is full: ${waitingMax} are waiting`);
      else await waitInLine(line, ownWaitMs, signal);
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
      ? setTimeout(() => giveUp(new ShareTimeoutError(`No slot became free within ${waitMs} ms`)), waitMs)
      : undefined;
    line.waiting.add(start);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
