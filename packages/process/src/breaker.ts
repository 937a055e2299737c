/**
 * closed: calls go out. open: calls are refused. half-open: the next call goes out as a probe, and its outcome closes the
 * breaker or opens it again.
 */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** A circuit breaker: callers of a system that does not answer fail fast, and it can recover. */
export interface Breaker {
  /** Whether a call may go out now. In the half-open state only the first caller may, until the outcome is known or `openMs` is over. */
  admits(): boolean;
  succeeded(): void;
  failed(): void;
  state(): BreakerState;
}

/** When a closed breaker opens. */
export type TripRule =
  /** After so many failures without a success between them. */
  | { failuresInARow: number }
  /** After so many failures within a window, if they are at least this share of all calls in it. */
  | { failures: number; share: number; windowMs: number };

/**
 * Creates a closed breaker.
 * @param options.openMs how long it stays open; then it is half-open, whether or not anybody calls
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
      // The probe may end without an outcome, for example because its client disconnected: then another one follows.
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
