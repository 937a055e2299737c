import { minutesOfDay, nextTime } from '@tandem/time-zones';

/** Quiet hours with the zone that they are in. */
export interface QuietTime {
  start: string;
  end: string;
  timezone: string;
}

/** The end of the quiet hours that contain a time; undefined outside of them. Follows changes of the clock in the zone. */
export function quietUntil(hours: QuietTime | null, at: Date): Date | undefined {
  if (!hours) return undefined;
  const [start, end] = [minutesOf(hours.start), minutesOf(hours.end)];
  const minutes = minutesOfDay(at, hours.timezone);
  const isQuiet = start < end ? minutes >= start && minutes < end : minutes >= start || minutes < end;
  return isQuiet ? nextTime(at, end, hours.timezone) : undefined;
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours as number) * 60 + (minutes as number);
}
