/** Runs work that waits for something outside, and gives this job's place to another job meanwhile. */
export type Outside = <T>(work: () => Promise<T>) => Promise<T>;

/** Limits how many jobs of a process work at once, and how many more may wait for something outside. */
export interface Slots {
  /** Runs a job as soon as fewer than `max` others work. */
  run<T>(job: (outside: Outside) => Promise<T>): Promise<T>;
}

/**
 * Creates the limit of one process.
 * @param max how many jobs work at once
 * @param outsideMax how many jobs may be outside at once; a further one keeps its place while it waits
 */
export function createSlots(max: number, outsideMax: number): Slots {
  let working = 0;
  let outsideCount = 0;
  // Jobs that come back go first: they only have to be finished.
  const queues: { returning: (() => void)[]; fresh: (() => void)[] } = { returning: [], fresh: [] };

  const enter = async (queue: (() => void)[]): Promise<void> => {
    if (working < max) working += 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
  };

  const leave = () => {
    const next = queues.returning.shift() ?? queues.fresh.shift();
    if (next) next();
    else working -= 1;
  };

  const outside: Outside = async (work) => {
    if (outsideCount >= outsideMax) return work();
    outsideCount += 1;
    leave();
    try {
      return await work();
    } finally {
      outsideCount -= 1;
      await enter(queues.returning);
    }
  };

  return {
    async run(job) {
      await enter(queues.fresh);
      try {
        return await job(outside);
      } finally {
        leave();
      }
    },
  };
}
