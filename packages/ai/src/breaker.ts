/** Keeps calls away from a provider that is down, so that callers get their template at once. */
export interface Breaker {
  /** Whether a call may be tried now. After a pause one call is let through, and decides about the others. */
  isClosed(): boolean;
  succeeded(): void;
  failed(): void;
}

const failuresMax = 3;

/** A breaker that opens after three failures in a row, for `pauseMs`. */
export function createBreaker(pauseMs: number, now: () => number): Breaker {
  let failures = 0;
  let openUntil = Number.NEGATIVE_INFINITY;
  return {
    isClosed() {
      if (now() < openUntil) return false;
      // Whoever asks first after the pause tries; until it is known how that ends, nobody else does.
      if (failures >= failuresMax) openUntil = now() + pauseMs;
      return true;
    },
    succeeded() {
      failures = 0;
      openUntil = Number.NEGATIVE_INFINITY;
    },
    failed() {
      failures++;
      if (failures >= failuresMax) openUntil = now() + pauseMs;
    },
  };
}
