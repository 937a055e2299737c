/**
 * State of a circuit breaker. closed: calls go out. open: calls are rejected. half-open: the next call goes out as a
 * probe, and its outcome closes or reopens the breaker.
 */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** A circuit breaker: calls to a system that is down fail fast, which gives the system time to recover. */
export interface Breaker {
  /**
   * Whether a call may go out now. While half-open, only one probe may, until its outcome is known or `openMs` has
   * passed.
   */
  admits(): boolean;
  succeeded(): void;
  failed(): void;
  state(): BreakerState;
}

/** When a closed breaker opens. */
export type TripRule =
  /** After this many consecutive failures. */
  | { failuresInARow: number }
  /** After this many failures within a window, if they are at least this share of all calls in it. */
  | { failures: number; share: number; windowMs: number };

/**
 * Creates a closed breaker.
 * @param options.openMs how long it stays open before it becomes half-open; no call is needed for that
 */
export function createBreaker(options: { trip: TripRule; openMs: number; now?: () => number }): Breaker {
  const { trip, openMs, now = Date.now } = options;
  let isClosed = true;
  let openUntil = 0;
  let failures = 0;
  let calls = 0;
  let windowBegan = now();

  const reset = () => {
    failures = 0;
    calls = 0;
    windowBegan = now();
  };
  const count = () => {
    if ('windowMs' in trip && now() - windowBegan > trip.windowMs) reset();
    calls++;
  };
  const isTripped = () =>
    'windowMs' in trip ? failures >= trip.failures && failures >= calls * trip.share : failures >= trip.failuresInARow;
  const state = (): BreakerState => (isClosed ? 'closed' : now() < openUntil ? 'open' : 'half-open');
  const open = () => {
    isClosed = false;
    openUntil = now() + openMs;
  };

  return {
    state,
    admits() {
      const current = state();
      // A probe can end without an outcome, for example when its client disconnects. Another probe is admitted after
      // `openMs`.
      if (current === 'half-open') open();
      return current !== 'open';
    },
    succeeded() {
      if (!isClosed || 'failuresInARow' in trip) reset();
      isClosed = true;
      count();
    },
    failed() {
      count();
      failures++;
      if (!isClosed || isTripped()) open();
    },
  };
}
