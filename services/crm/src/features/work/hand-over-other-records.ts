import { handOverCalendar, type Inside, type Leaving } from './hand-over-calendar.ts';
import { handOverParts } from './hand-over-parts.ts';

/** Hands over what belongs to a user who left and is not counted as open work. */
export function handOverPartsAndCalendar(settings: { publicUrl: string }) {
  const ofCalendar = handOverCalendar(settings);
  return async (inside: Inside, leaving: Leaving): Promise<boolean> =>
    (await handOverParts(inside, leaving)) || ofCalendar(inside, leaving);
}
