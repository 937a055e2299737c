/** Timeouts for promises, counted in ticks. */
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
 * Creates deadlines that share one timer. After a pause of the process (a long task, SIGSTOP), Node runs timers before
 * it reads sockets. A pause counts as a single tick, so replies that arrived during it are not late.
 */
export function createDeadlines(tickMs: number): Deadlines {
  // Entries by timeout in ticks: entries with the same timeout expire in insertion order.
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
      const entries = waiting.get(ticks) ?? new Set();
      waiting.set(ticks, entries);
      const entry = { since: tick, late };
      entries.add(entry);
      pending++;
      clock ??= setInterval(onTick, tickMs).unref();
      const done = () => {
        entries.delete(entry);
        pending--;
      };
      work.then(done, done);
      return work;
    },
    close: stop,
  };
}
