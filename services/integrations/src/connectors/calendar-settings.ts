import { text } from '@tandem/contract';
import { z } from 'zod';

const whole = { error: 'Must be a whole number' };
const daysBackMax = 365;
const daysAheadMax = 730;

/** The id of a calendar at its provider. It is a part of the path of calls. */
export const CalendarId = text(500)
  .min(1, { error: 'Must not be empty' })
  .refine((id) => !/^\.{1,2}$|[\p{Cc}\s]/u.test(id), { error: 'Must be the id of a calendar' });

/** The settings that the sync of every calendar has. */
export const CalendarSettings = z.object({
  visibility: z
    .enum(['private', 'default'], { error: 'Must be one of private, default' })
    .default('private')
    .describe(
      'The visibility of events that are created from the connected calendar: `private` shows others only that the time is taken, `default` keeps the visibility there',
    ),
  direction: z
    .enum(['both', 'pull', 'push'], { error: 'Must be one of both, pull, push' })
    .default('both')
    .describe('`pull` reads events of the connected calendar, `push` writes events to it'),
  daysBack: z
    .int(whole)
    .min(0, { error: 'Must be at least 0' })
    .max(daysBackMax, { error: `Must be at most ${daysBackMax}` })
    .default(30)
    .describe('The number of past days whose events the first run reads'),
  daysAhead: z
    .int(whole)
    .min(1, { error: 'Must be at least 1' })
    .max(daysAheadMax, { error: `Must be at most ${daysAheadMax}` })
    .default(365)
    .describe('The number of days ahead whose events the first run reads'),
});
export type CalendarSettings = z.output<typeof CalendarSettings>;
