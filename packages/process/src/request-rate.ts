/** How many requests a process answers. */
export interface RequestRate {
  /** Counts one request. */
  count(): void;
  /** Requests per second, averaged over the last seconds with more weight on the latest. */
  perSecond(): number;
}

const averageOverMs = 2_000;

/**
 * Averages the requests of a process exponentially.
 * @param now the clock, in milliseconds
 */
export function createRequestRate(now: () => number = () => performance.now()): RequestRate {
  let rate = 0;
  let countedAt = now();
  const decayed = () => rate * Math.exp((countedAt - now()) / averageOverMs);
  return {
    count() {
      rate = decayed() + 1_000 / averageOverMs;
      countedAt = now();
    },
    perSecond: decayed,
  };
}
