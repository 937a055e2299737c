/** Timeouts for promises, counted in ticks. */
export interface Deadlines {
  /** Returns `work`, and calls `late` if it has not settled within `ms`. */
  of<T>(work: Promise<T>, ms: number, late: () => void): Promise<T>;
  close(): void;
}

interface Entry {
  lastTick: number;
  late: () => void;
  /** Its place in the list of entries. */
  index: number;
}

/**
 * Creates deadlines that share one timer. After a pause of the process (a long task, SIGSTOP), Node runs timers before
 * it reads sockets. A pause counts as a single tick, so replies that arrived during it are not late.
 */
export function createDeadlines(tickMs: number): Deadlines {
  // Not a Set: it reallocates its table as entries come and go, 6 % of all memory that the gateway allocated.
  const entries: Entry[] = [];
  let tick = 0;
  let clock: NodeJS.Timeout | undefined;

  const stop = () => {
    clearInterval(clock);
    clock = undefined;
  };
  /** Removes an entry, if it is still there; the last one takes its place. */
  const remove = (entry: Entry) => {
    if (entries[entry.index] !== entry) return;
    const last = entries.pop() as Entry;
    if (last === entry) return;
    last.index = entry.index;
    entries[last.index] = last;
  };
  const onTick = () => {
    tick++;
    const late = entries.filter(({ lastTick }) => tick > lastTick);
    for (const entry of late) {
      remove(entry);
      entry.late();
    }
    if (!entries.length) stop();
  };

  return {
    of(work, ms, late) {
      const entry = { lastTick: tick + Math.ceil(ms / tickMs), late, index: entries.length };
      entries.push(entry);
      clock ??= setInterval(onTick, tickMs).unref();
      const done = () => remove(entry);
      work.then(done, done);
      return work;
    },
    close: stop,
  };
}
