/** The times at which deliveries of one endpoint that found no slot try again. */
export interface RetryTimes {
  /**
   * The first time from `notBefore` on that lies after all times given before.
   * @param stepMs how long until the endpoint has taken one more delivery
   */
  next(notBefore: number, stepMs: number): Date;
  /** Forgets the times given before: the endpoint answers in time again. */
  restart(): void;
}

const afterMinMs = 200;
// Until then deliveries return as fast as the endpoint takes them. Later ones of a slow endpoint return more closely, so
// that they notice soon when it has recovered. All backlogs together leave the database to others.
const pacedMs = 15_000;
const backlogStepMs = 50;
const backlogReturnsPerSecond = 100;
const sweepMs = 1_000;

/** Returns a function that creates the retry times of one endpoint. The endpoints share the returns of long backlogs. */
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
      next(notBefore, stepMs) {
        const at = Math.max(nextFree, notBefore, now() + afterMinMs);
        const isBacklog = at - notBefore >= pacedMs;
        if (isBacklog) {
          sweep();
          backlogs.set(key, at);
        }
        const shareMs = (backlogs.size * 1_000) / backlogReturnsPerSecond;
        nextFree = at + (isBacklog ? Math.max(Math.min(stepMs, backlogStepMs), shareMs) : stepMs);
        return new Date(at);
      },
      restart() {
        nextFree = 0;
      },
    };
  };
}
