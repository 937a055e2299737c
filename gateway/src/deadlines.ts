/** Gives promises a time to settle, counted in ticks. */
export interface Deadlines {
  /** Calls `late` when `work` has not settled within `ms` of ticks; it settles as it does. */
  of<T>(work: Promise<T>, ms: number, late: () => void): Promise<T>;
  close(): void;
}

interface Entry {
  since: number;
  late: () => void;
}

/**
 * One timer for any number of deadlines. Ticks also tell a pause of our own from one of others: a process that stood still
 * runs its timers before it reads its sockets, but its pause is one tick.
 */
export function createDeadlines(tickMs: number): Deadlines {
  // By length of time: within one, entries stand in the order in which they end.
  const waiting = new Map<number, Set<Entry>>();
  let tick = 0;
  let pending = 0;
  let clock: NodeJS.Timeout | undefined;

  const stop = () => {
    clearInterval(clock);
    clock = undefined;
  };
  const onTick = () => {
    tick++;
    for (const [ticks, entries] of waiting)
      for (const entry of entries) {
        if (tick - entry.since <= ticks) break;
        entries.delete(entry);
        entry.late();
      }
    if (!pending) stop();
  };

  return {
    of(work, ms, late) {
      const ticks = Math.ceil(ms / tickMs);
      const mine = waiting.get(ticks) ?? new Set();
      waiting.set(ticks, mine);
      const entry = { since: tick, late };
      mine.add(entry);
      pending++;
      clock ??= setInterval(onTick, tickMs).unref();
      const done = () => {
        mine.delete(entry);
        pending--;
      };
      work.then(done, done);
      return work;
    },
    close: stop,
  };
}
