/** The wait before each attempt, counted from the end of the one before. */
export interface Schedules {
  /** How many attempts a delivery gets. */
  attempts(environment: string): number;
  /**
   * When to try again after `failed` attempts; undefined when they are used up.
   * @param askedAt a later time that the receiver asked for
   */
  next(environment: string, failed: number, askedAt?: Date): Date | undefined;
}

const minute = 60;
const hour = 3_600;

/** Ten attempts in about 76 hours; in the sandbox nobody waits that long for a test. */
const defaultSchedules: Record<string, readonly number[]> = {
  live: [0, 5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
  sandbox: [0, 5, minute, 5 * minute],
};

// The first retry comes when it says; from the third attempt on jitter keeps receivers that failed together apart.
const jitterFrom = 2;
const jitterShare = 0.2;
const askedMaxMs = 24 * hour * 1_000;

/**
 * @param options.seconds replaces the schedules of both environments
 * @param options.random from 0 to 1
 */
export function createSchedules(
  options: { seconds?: readonly number[] | undefined; random?: () => number; now?: () => number } = {},
): Schedules {
  const { seconds, random = Math.random, now = Date.now } = options;
  const of = (environment: string) => seconds ?? (defaultSchedules[environment] as readonly number[]);
  return {
    attempts: (environment) => of(environment).length,
    next(environment, failed, askedAt) {
      const wait = of(environment)[failed];
      if (wait === undefined) return undefined;
      const jitter = failed >= jitterFrom ? 1 + jitterShare * random() : 1;
      const asked = Math.min(askedAt?.getTime() ?? 0, now() + askedMaxMs);
      return new Date(Math.max(now() + wait * 1_000 * jitter, asked));
    },
  };
}

/** When a Retry-After header (seconds or an HTTP date) allows the next attempt. */
export function readRetryAfter(header: string | undefined, now = Date.now()): Date | undefined {
  if (header === undefined) return undefined;
  const at = /^\d{1,9}$/.test(header.trim()) ? now + Number(header) * 1_000 : Date.parse(header);
  return Number.isNaN(at) ? undefined : new Date(at);
}
