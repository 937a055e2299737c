import { handOverCalendar, type Inside, type Leaving } from './hand-over-calendar.ts';
import { handOverParts } from './hand-over-parts.ts';
import { handOverRules } from './hand-over-rules.ts';

/** Hands over what belongs to a user who left and is not counted as open work: parts of records, calendar and rules. */
export function handOverOtherRecords(settings: { publicUrl: string }) {
  const ofCalendar = handOverCalendar(settings);
  return async (inside: Inside, leaving: Leaving): Promise<boolean> => {
    if ((await handOverParts(inside, leaving)) || (await ofCalendar(inside, leaving))) return true;
    await handOverRules(inside, leaving);
    return false;
  };
}
