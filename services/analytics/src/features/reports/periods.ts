import type { reportPeriods } from '@tandem/analytics-contract';
import { addDays, dayOf, startOfDay } from '@tandem/time-zones';
import { startOfInterval } from '../dashboard/period.ts';

export type ReportPeriod = (typeof reportPeriods)[number];

/** The first and the last day of a period that moves with the time, in a time zone. */
export function daysOf(period: ReportPeriod, timezone: string, now: Date): { dateFrom: string; dateTo: string } {
  const today = dayOf(now, timezone);
  const last = (days: number) => ({ dateFrom: addDays(today, 1 - days), dateTo: today });
  const [week, month] = [startOfInterval(today, 'week'), startOfInterval(today, 'month')];
  const days: Record<ReportPeriod, { dateFrom: string; dateTo: string }> = {
    today: last(1),
    yesterday: { dateFrom: addDays(today, -1), dateTo: addDays(today, -1) },
    last_7_days: last(7),
    last_30_days: last(30),
    last_90_days: last(90),
    this_week: { dateFrom: week, dateTo: today },
    last_week: { dateFrom: addDays(week, -7), dateTo: addDays(week, -1) },
    this_month: { dateFrom: month, dateTo: today },
    last_month: { dateFrom: startOfInterval(addDays(month, -1), 'month'), dateTo: addDays(month, -1) },
    this_year: { dateFrom: `${today.slice(0, 'YYYY'.length)}-01-01`, dateTo: today },
  };
  return days[period];
}

/** The filters of a list for the records that were created in a period. */
export function datesOf(period: ReportPeriod, timezone: string, now: Date) {
  const { dateFrom, dateTo } = daysOf(period, timezone, now);
  const to = startOfDay(addDays(dateTo, 1), timezone).getTime() - 1;
  return { createdFrom: startOfDay(dateFrom, timezone).toISOString(), createdTo: new Date(to).toISOString() };
}
