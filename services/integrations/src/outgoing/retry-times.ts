/** Retry times for deliveries of one endpoint that got no slot. */
export interface RetryTimes {
  /**
   * The first time at or after `notBefore` that is later than all times returned before.
   * @param intervalMs estimated time until the endpoint can accept another delivery
   */
  next(notBefore: number, intervalMs: number): Date;
  /** Clears the times returned before, when the endpoint is fast again. */
  restart(): void;
}

const afterMinMs = 200;
// Within this window, retries follow the rate of the endpoint. Later retries of a slow endpoint are closer together, so
// that they soon detect its recovery. The total rate of all backlogs is limited to protect the database.
const pacedMs = 15_000;
const backlogIntervalMs = 50;
const backlogRetriesPerSecond = 100;
const sweepMs = 1_000;

/** Returns a factory for the retry times of one endpoint. All endpoints share the rate limit for long backlogs. */
export function createRetryTimes(now: () => number): () => RetryTimes {
  const backlogs = new Map<object, number>();
  let sweptAt = 0;

  const sweep = () => {
    if (now() - sweptAt < sweepMs) return;
    sweptAt = now();
    for (const [key, until] of backlogs) if (until <= sweptAt) backlogs.delete(key);
  };

  return () => {
    const key = {};
    let nextFree = 0;
    return {
      next(notBefore, intervalMs) {
        const at = Math.max(nextFree, notBefore, now() + afterMinMs);
        const isBacklog = at - notBefore >= pacedMs;
        if (isBacklog) {
          sweep();
          backlogs.set(key, at);
        }
        const shareMs = (backlogs.size * 1_000) / backlogRetriesPerSecond;
        nextFree = at + (isBacklog ? Math.max(Math.min(intervalMs, backlogIntervalMs), shareMs) : intervalMs);
        return new Date(at);
      },
      restart() {
        nextFree = 0;
      },
    };
  };
}
