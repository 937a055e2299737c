const dayMs = 86_400_000;
const minuteMs = 60_000;
// Between 1:00 and 5:00 UTC, so that not all tenants run at once.
const [startMinute, spreadMinutes] = [60, 240];

/** A time in the next night (UTC) for a job that every tenant has, at random, so that they do not run at once. */
export function nextNightAt(now = new Date()): Date {
  const midnight = (Math.floor(now.getTime() / dayMs) + 1) * dayMs;
  return new Date(midnight + (startMinute + Math.floor(Math.random() * spreadMinutes)) * minuteMs);
}
