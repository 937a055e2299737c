import { eventDaysMax } from '@tandem/crm-contract';
import { checkRule, lastOccurrence } from '@tandem/recurrence';
import { failField } from '@tandem/service';
import { dayOf, nextMidnight, startOfDay } from '@tandem/time-zones';

/** When an event takes place. */
export interface EventTimes {
  startAt: Date;
  endAt: Date;
  timezone: string;
  allDay: boolean;
  recurrence: string | null;
}

const dayMs = 86_400_000;

/**
 * The columns of the times of an event. One for whole days is widened to them.
 * @throws 422 naming the field that is wrong
 */
export function timeColumns(input: EventTimes): EventTimes & { seriesEndAt: Date | null } {
  if (input.endAt <= input.startAt) throw failField('endAt', 'Must be after startAt');
  const { timezone, allDay, recurrence } = input;
  const startAt = allDay ? startOfDay(dayOf(input.startAt, timezone), timezone) : input.startAt;
  const endAt = allDay ? endOfDays(input.endAt, timezone) : input.endAt;
  // An hour more, because clocks can go back within the days.
  if (endAt.getTime() - startAt.getTime() > eventDaysMax * dayMs + dayMs / 24)
    throw failField('endAt', `Must be at most ${eventDaysMax} days after startAt`);
  const times = { startAt, endAt, timezone, allDay, recurrence };
  if (recurrence === null) return { ...times, seriesEndAt: null };
  const fault = checkRule(recurrence, { timezone, start: startAt });
  if (fault !== undefined) throw failField('recurrence', fault);
  const last = lastOccurrence({ rrule: recurrence, timezone, start: startAt });
  return { ...times, seriesEndAt: last ? new Date(last.getTime() + endAt.getTime() - startAt.getTime()) : null };
}

/** The end of the day before which an event ends: midnight itself, or the next one. */
function endOfDays(endAt: Date, timezone: string): Date {
  const midnight = startOfDay(dayOf(endAt, timezone), timezone);
  return midnight.getTime() === endAt.getTime() ? endAt : nextMidnight(endAt, timezone);
}
