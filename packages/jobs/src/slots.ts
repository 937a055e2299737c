/** Runs work that waits for something outside, and gives this job's place to another job meanwhile. */
export type Outside = <T>(work: () => Promise<T>) => Promise<T>;

/** Limits how many jobs of a process work at once, and how many more may wait for something outside. */
export interface Slots {
  /**
   * Runs a job as soon as fewer than `max` others work.
   * @param tenant whose job it is: waiting jobs of different tenants start in turn
   */
  run<T>(tenant: string, job: (outside: Outside) => Promise<T>): Promise<T>;
}

type Start = () => void;

/**
 * Creates the limit of one process.
 * @param max how many jobs work at once
 * @param outsideMax how many jobs may be outside at once; a further one keeps its place while it waits
 */
export function createSlots(max: number, outsideMax: number): Slots {
  let working = 0;
  let outsideCount = 0;
  // Jobs that come back go first: they only have to be finished.
  const returning: Start[] = [];
  const waiting = new Map<string, Start[]>();

  const leave = () => {
    const next = returning.shift() ?? takeTurn(waiting);
    if (next) next();
    else working -= 1;
  };

  const enter = async (wait: (start: Start) => void): Promise<void> => {
    if (working < max) working += 1;
    else await new Promise<void>(wait);
  };

  const outside: Outside = async (work) => {
    if (outsideCount >= outsideMax) return work();
    outsideCount += 1;
    leave();
    try {
      return await work();
    } finally {
      outsideCount -= 1;
      await enter((start) => void returning.push(start));
    }
  };

  return {
    async run(tenant, job) {
      await enter((start) => void waiting.set(tenant, [...(waiting.get(tenant) ?? []), start]));
      try {
        return await job(outside);
      } finally {
        leave();
      }
    },
  };
}

/** Removes the first job of the first tenant, and puts this tenant behind the others. */
function takeTurn(waiting: Map<string, Start[]>): Start | undefined {
  const [turn] = waiting;
  if (!turn) return undefined;
  const [tenant, [start, ...rest]] = turn;
  waiting.delete(tenant);
  if (rest.length) waiting.set(tenant, rest);
  return start;
}
