import { failField } from '@tandem/service';

const dayMs = 86_400_000;

/** Fails with a field error unless `to` is after `from`, by at most a number of days. */
export function checkPeriod({ from, to }: { from: Date; to: Date }, daysMax: number): void {
  if (to <= from) throw failField('to', 'Must be after from');
  // An hour more, because clocks can go back within the period.
  if (to.getTime() - from.getTime() > daysMax * dayMs + dayMs / 24)
    throw failField('to', `Must be at most ${daysMax} days after from`);
}

const bufferMaxMs = 240 * 60_000;

/** A period with the buffers of the events around it. */
export function widened({ from, to }: { from: Date; to: Date }) {
  return { from: new Date(from.getTime() - bufferMaxMs), to: new Date(to.getTime() + bufferMaxMs) };
}
