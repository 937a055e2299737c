/** Keeps calls away from a service that does not answer, so that its callers fail fast and it can recover. */
export interface Breaker {
  /** Whether a call may go out now; while open, one call in every pause probes. */
  admits(): boolean;
  succeeded(): void;
  failed(): void;
  isOpen(): boolean;
}

const windowMs = 10_000;
const failuresMin = 5;
const failureShare = 0.5;
const pauseMs = 1_000;

/** Opens when at least 5 calls within 10 s failed and they were at least half of all. */
export function createBreaker(now: () => number = Date.now): Breaker {
  let began = 0;
  let failures = 0;
  let calls = 0;
  let open = false;
  let probeAt = 0;

  const note = (failed: boolean) => {
    if (now() - began > windowMs) {
      began = now();
      failures = 0;
      calls = 0;
    }
    calls++;
    if (failed) failures++;
  };

  return {
    isOpen: () => open,
    admits() {
      if (!open) return true;
      if (now() < probeAt) return false;
      probeAt = now() + pauseMs;
      return true;
    },
    succeeded() {
      if (open) began = 0;
      open = false;
      note(false);
    },
    failed() {
      note(true);
      if (!open && failures >= failuresMin && failures >= calls * failureShare) open = true;
      if (open) probeAt = now() + pauseMs;
    },
  };
}
