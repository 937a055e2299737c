/** The month that runs, as YYYY-MM in UTC. */
export function currentPeriod(now = new Date()): string {
  return periodOf(now);
}

/** The month of a moment, as YYYY-MM in UTC. */
export function periodOf(at: Date): string {
  return at.toISOString().slice(0, 'YYYY-MM'.length);
}

/** When a month begins, and when the next one does. */
export function boundsOf(period: string): { start: Date; end: Date } {
  const [year, month] = period.split('-').map(Number) as [number, number];
  return { start: new Date(Date.UTC(year, month - 1)), end: new Date(Date.UTC(year, month)) };
}
