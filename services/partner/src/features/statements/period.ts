/** Current month as YYYY-MM, in UTC. */
export function currentPeriod(now = new Date()): string {
  return periodOf(now);
}

/** Month of a time as YYYY-MM, in UTC. */
export function periodOf(at: Date): string {
  return at.toISOString().slice(0, 'YYYY-MM'.length);
}

/** Start of a month and of the next one. */
export function boundsOf(period: string): { start: Date; end: Date } {
  const [year, month] = period.split('-').map(Number) as [number, number];
  return { start: new Date(Date.UTC(year, month - 1)), end: new Date(Date.UTC(year, month)) };
}
