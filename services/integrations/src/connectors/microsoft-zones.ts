// Names of time zones at Microsoft, such as `W. Europe Standard Time`, and those of IANA.
import { findIana, findWindows } from 'windows-iana';
import { isZone } from './calendar-fields.ts';
import { CallError } from './connector.ts';

const windowsName = /^[A-Za-z0-9 .()+:-]{1,100}$/;

/** The time zone (IANA) of a name at Microsoft; null if there is none, as for zones that a user has defined. */
export function ianaZoneOf(name: unknown): string | null {
  if (isZone(name)) return name;
  if (typeof name !== 'string' || !windowsName.test(name)) return null;
  return findIana(name).find(isZone) ?? null;
}

/**
 * The name at Microsoft of a time zone (IANA).
 * @throws CallError if Microsoft does not know it
 */
export function windowsZoneOf(timezone: string): string {
  const [name] = [timezone, canonical(timezone)].flatMap((zone) => findWindows(zone));
  if (name === undefined) throw new CallError('request_rejected');
  return name;
}

/** The name of a zone that has several, in which newer ones may be missing from the list. */
function canonical(timezone: string): string {
  return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone;
}
