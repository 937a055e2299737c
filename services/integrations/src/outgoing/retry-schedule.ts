/** Retry schedules: the delay before each attempt, measured from the end of the previous one. */
export interface Schedules {
  /** Number of attempts of a delivery. */
  attempts(environment: string): number;
  /**
   * Time of the next attempt after `failed` attempts; undefined after the last one.
   * @param requestedAt a later time requested by the receiver
   */
  next(environment: string, failed: number, requestedAt?: Date): Date | undefined;
}

const minute = 60;
const hour = 3_600;

/** Live: ten attempts in about 76 hours. The sandbox is shorter, to make testing quick. */
const defaultSchedules: Record<string, readonly number[]> = {
  live: [0, 5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
  sandbox: [0, 5, minute, 5 * minute],
};

// The first retry has no jitter. Jitter spreads later retries of deliveries that failed together.
const jitterFrom = 2;
const jitterShare = 0.2;
const requestedMaxMs = 24 * hour * 1_000;

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
    next(environment, failed, requestedAt) {
      const wait = of(environment)[failed];
      if (wait === undefined) return undefined;
      const jitter = failed >= jitterFrom ? 1 + jitterShare * random() : 1;
      const requestedMs = Math.min(requestedAt?.getTime() ?? 0, now() + requestedMaxMs);
      return new Date(Math.max(now() + wait * 1_000 * jitter, requestedMs));
    },
  };
}

/** Time of a Retry-After header, which contains seconds or an HTTP date. */
export function readRetryAfter(header: string | undefined, now = Date.now()): Date | undefined {
  if (header === undefined) return undefined;
  const at = /^\d{1,9}$/.test(header.trim()) ? now + Number(header) * 1_000 : Date.parse(header);
  return Number.isNaN(at) ? undefined : new Date(at);
}
