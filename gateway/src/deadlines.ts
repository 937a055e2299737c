/** Time limits of promises, counted in ticks. */
export interface Deadlines {
  /** Returns `work`, and calls `late` if it has not settled within `ms`. */
  of<T>(work: Promise<T>, ms: number, late: () => void): Promise<T>;
  close(): void;
}

interface Entry {
  since: number;
  late: () => void;
}

/**
 * Creates a clock with one timer for any number of deadlines. After a pause of this process (a long task, a SIGSTOP) its timers
 * run before its sockets are read; counted in ticks, the pause is only one, so replies that have arrived meanwhile are not late.
 */
export function createDeadlines(tickMs: number): Deadlines {
  // Entries by their limit in ticks: those with the same limit expire in the order in which they were added.
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
