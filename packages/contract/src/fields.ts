import { z } from 'zod';

const unstorable = 'Must not contain NUL characters or unpaired surrogates';

/** A timestamp: ISO 8601 with a time zone on the wire (responses use UTC), a Date inside. */
export function timestamp() {
  const error = 'Must be an ISO 8601 date and time with a zone';
  return z.codec(z.iso.datetime({ offset: true, error }).refine(isStorableTime, { error }), z.date(), {
    decode: (wire) => new Date(wire),
    encode: (date) => date.toISOString(),
  });
}

/** Text from the caller: at most `max` characters, without NUL, which PostgreSQL cannot store. */
export function text(max: number) {
  return z
    .string()
    .max(max, { error: `Must be at most ${max} characters` })
    .refine(isStorable, { error: unstorable });
}

/**
 * A name: one line of text with at least one character that is not whitespace. Control characters and line breaks become
 * spaces, because names are put into mail, file names and logs.
 */
export function name(max = 100) {
  return text(max)
    .overwrite((value) => value.replace(/[\p{Cc}\u2028\u2029]+/gu, ' '))
    .trim()
    .min(1, { error: 'Must not be empty' });
}

/** Text of one or more lines with at least one character that is not whitespace. */
export function requiredText(max: number) {
  return text(max).trim().min(1, { error: 'Must not be empty' });
}

/** An e-mail address. */
export function email() {
  return z.email({ error: 'Must be a valid e-mail address' }).max(254, { error: 'Must be at most 254 characters' });
}

/** A phone number with country code, normalized to E.164: `+` and 7 to 15 digits without separators. */
export function phone() {
  // The accepted input format, shown in the API reference and used by clients for validation.
  const form = /^[\s().-]*\+[\s().-]*[1-9](?:[\s().-]*[0-9]){6,14}[\s().-]*$/;
  return z
    .string()
    .max(32)
    .regex(form, { error: 'Must be a phone number with country code, such as +491701234567' })
    .overwrite((value) => value.replace(/[\s().-]/g, ''))
    .meta({
      description: 'Phone number with country code (E.164). Spaces, dots, dashes and brackets are removed.',
      examples: ['+491701234567'],
    });
}

/** An IANA time zone. */
export function timeZone() {
  return z
    .string()
    .refine(isTimeZone, { error: 'Must be an IANA time zone, such as Europe/Berlin' })
    .meta({ description: 'Time zone (IANA)', examples: ['Europe/Berlin'] });
}

// Intl also accepts offsets such as +01:00, which have no daylight saving time.
const zoneName = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/;

function isTimeZone(zone: string): boolean {
  try {
    return zoneName.test(zone) && new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}

/** A short machine-readable word, such as a status code. */
export function code(max = 64) {
  return z
    .string()
    .max(max)
    .regex(/^[a-z0-9_]+$/, { error: 'Must consist of lower-case letters, digits and underscores' });
}

const freeFormKeysMax = 100;
const freeFormBytesMax = 16_384;
// The same limit that the gateway has for a whole body.
const freeFormLevelsMax = 20;

/** A free-form object of the customer: never searched for ids, at most 100 keys, 20 levels and 16 KB (D16). */
export function freeForm() {
  return z
    .record(z.string(), z.unknown())
    .superRefine((value, context) => {
      for (const message of freeFormFaults(value)) context.addIssue({ code: 'custom', message });
    })
    .meta({
      description: 'Custom fields: at most 100 keys, 20 levels and 16 KB.',
      examples: [{ industry: 'engineering' }],
    });
}

function freeFormFaults(value: Record<string, unknown>): string[] {
  const faults = contentFaults(value, freeFormLevelsMax);
  // A very deep value would overflow the stack of JSON.stringify.
  if (faults.has(tooDeep)) return [tooDeep];
  return [
    ...(Object.keys(value).length > freeFormKeysMax ? [`Must have at most ${freeFormKeysMax} keys`] : []),
    ...(exceedsBytes(JSON.stringify(value), freeFormBytesMax) ? ['Must be at most 16 KB'] : []),
    ...faults,
  ];
}

const utf8 = new TextEncoder();

/** Whether a text has more than `max` bytes in UTF-8; also works in browsers. */
export function exceedsBytes(text: string, max: number): boolean {
  // A code unit takes at most three bytes, so short texts need not be encoded.
  return text.length * 3 > max && utf8.encode(text).length > max;
}

const tooDeep = `Must be nested at most ${freeFormLevelsMax} levels deep`;
// 1e400 is valid JSON and parses to Infinity.
const tooLarge = 'Must not contain a number that is too large';

/**
 * Collects each kind of fault inside a JSON value, in one walk with few allocations, as there may be thousands of
 * values.
 */
function contentFaults(value: unknown, levels: number, found = new Set<string>()): Set<string> {
  if (typeof value === 'string') {
    if (!isStorable(value)) found.add(unstorable);
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) found.add(tooLarge);
  } else if (typeof value === 'object' && value !== null) {
    if (levels === 0) found.add(tooDeep);
    else if (Array.isArray(value)) for (const inner of value) contentFaults(inner, levels - 1, found);
    else
      for (const key of Object.keys(value)) {
        if (!isStorable(key)) found.add(unstorable);
        contentFaults((value as Record<string, unknown>)[key], levels - 1, found);
      }
  }
  return found;
}

/**
 * Whether the time is in the years 1 to 9999: PostgreSQL has no year 0, and Date cannot parse the year 10000 that
 * PostgreSQL returns; a time zone can shift a time to either. Invalid dates are rejected before.
 */
function isStorableTime(wire: string): boolean {
  const year = new Date(wire).getUTCFullYear();
  return !(year < 1 || year > 9999);
}

function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}
