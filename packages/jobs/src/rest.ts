// Chosen by measuring reads beside an import (infra/bench/notes.md, import-beside).
const restsPerPortion = 10;
// Up to the first rate a job does not rest: someone who watches its progress asks about once a second. From the second
// rate on it rests fully.
const quietPerSecond = 2;
const busyPerSecond = 20;
const restMaxMs = 5_000;

/**
 * How long a job that works in portions rests before its next one, in milliseconds, so that requests find the processor
 * and the database free most of the time. With few requests it does not rest. Longer portions need longer rests, so a job
 * on a busy or slow machine slows down by itself.
 * @param portionMs how long the portion took
 * @param requestsPerSecond how many requests the process answers
 */
export function restAfter(portionMs: number, requestsPerSecond: number): number {
  const share = (requestsPerSecond - quietPerSecond) / (busyPerSecond - quietPerSecond);
  const busy = Math.min(1, Math.max(0, share));
  return Math.min(restMaxMs, portionMs * restsPerPortion * busy);
}
