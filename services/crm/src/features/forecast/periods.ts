import { monthAfter, monthOf, startOfMonth } from '@tandem/time-zones';

/** A month or quarter in a time zone. */
export interface Period {
  /** Such as 2026-03 or 2026-Q1. */
  name: string;
  from: Date;
  /** The beginning of the next period. */
  to: Date;
}

export type PeriodKind = 'month' | 'quarter';

/** The months of a period that is given by its name. */
export function monthsOf(name: string): string[] {
  const [year, part] = name.split('-') as [string, string];
  if (!part.startsWith('Q')) return [name];
  const first = (Number(part.slice(1)) - 1) * 3 + 1;
  return [0, 1, 2].map((index) => `${year}-${String(first + index).padStart(2, '0')}`);
}

/** The period with this name. */
export function periodNamed(name: string, timezone: string): Period {
  const months = monthsOf(name);
  const [from, to] = [months[0] as string, monthAfter(months.at(-1) as string)];
  return { name, from: startOfMonth(from, timezone), to: startOfMonth(to, timezone) };
}

/** The period that contains an instant. */
export function periodAt(at: Date, kind: PeriodKind, timezone: string): Period {
  return periodNamed(nameOf(monthOf(at, timezone), kind), timezone);
}

/**
 * Consecutive periods from the one that contains `from` to the one that contains `to`; more than `max` are cut. Without
 * `to` there are `max`.
 */
export function periodsBetween(
  from: Date,
  to: Date | undefined,
  { kind, timezone, max }: { kind: PeriodKind; timezone: string; max: number },
): Period[] {
  const periods = [periodAt(from, kind, timezone)];
  while (periods.length < max) {
    const last = periods.at(-1) as Period;
    if (to && last.to > to) break;
    periods.push(periodAt(last.to, kind, timezone));
  }
  return periods;
}

function nameOf(month: string, kind: PeriodKind): string {
  if (kind === 'month') return month;
  const [year, number] = month.split('-') as [string, string];
  return `${year}-Q${Math.ceil(Number(number) / 3)}`;
}
