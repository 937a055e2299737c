import { z } from 'zod';

const unstorable = 'Must not contain NUL characters or broken surrogate pairs';

/** A point in time: ISO 8601 with a zone on the wire (answers are UTC), a Date inside. */
export function timestamp() {
  const error = 'Must be an ISO 8601 date and time with a zone';
  return z.codec(z.iso.datetime({ offset: true, error }).refine(isStorableTime, { error }), z.date(), {
    decode: (wire) => new Date(wire),
    encode: (date) => date.toISOString(),
  });
}

/** Text of the caller's: at most `max` characters, without NUL, which PostgreSQL cannot store. */
export function text(max: number) {
  return z
    .string()
    .max(max, { error: `Must be at most ${max} characters` })
    .refine(isStorable, { error: unstorable });
}

/** A name: text that holds at least one character that is not a space. */
export function name(max = 100) {
  return text(max).trim().min(1, { error: 'Must not be empty' });
}

/** A phone number with country code, kept without its spaces and brackets: E.164, `+` and 7 to 15 digits. */
export function phone() {
  // The form as it may be sent: the reference shows it, and clients check by it.
  const form = /^[\s().-]*\+[\s().-]*[1-9](?:[\s().-]*[0-9]){6,14}[\s().-]*$/;
  return z
    .string()
    .max(32)
    .regex(form, { error: 'Must be a phone number with country code, such as +491701234567' })
    .overwrite((given) => given.replace(/[\s().-]/g, ''))
    .meta({
      description: 'Phone number with country code (E.164). Spaces, dots, dashes and brackets are removed.',
      examples: ['+491701234567'],
    });
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
// As many as the gateway lets a whole body have.
const freeFormLevelsMax = 20;

/** An object of the customer's own: never searched for ids, at most 100 keys, 20 levels and 16 KB (D16). */
export function freeForm() {
  return z
    .record(z.string(), z.unknown())
    .superRefine((value, context) => {
      for (const message of freeFormFaults(value)) context.addIssue({ code: 'custom', message });
    })
    .meta({
      description: 'Fields of your own: at most 100 keys, 20 levels and 16 KB.',
      examples: [{ industry: 'engineering' }],
    });
}

function freeFormFaults(value: Record<string, unknown>): string[] {
  const found = contentFaults(value, freeFormLevelsMax);
  // A value that is deep enough overflows the stack of JSON.stringify.
  if (found.has(tooDeep)) return [tooDeep];
  return [
    ...(Object.keys(value).length > freeFormKeysMax ? [`Must have at most ${freeFormKeysMax} keys`] : []),
    ...(byteLength(JSON.stringify(value)) > freeFormBytesMax ? ['Must be at most 16 KB'] : []),
    ...found,
  ];
}

const utf8 = new TextEncoder();

/** How many bytes a text has in UTF-8; works in browsers too. */
export function byteLength(text: string): number {
  return utf8.encode(text).length;
}

const tooDeep = `Must be nested at most ${freeFormLevelsMax} levels deep`;
// 1e400 is JSON, and Infinity once it is read.
const tooLarge = 'Has a number that is too large';

/** The first invalid value inside a JSON value, found in one walk without allocations, as there may be thousands. */
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

/** PostgreSQL has no year 0, and a Date reads no year 10000 of it; a zone can lead to both. What is no time at all was refused for that already. */
function isStorableTime(wire: string): boolean {
  const year = new Date(wire).getUTCFullYear();
  return !(year < 1 || year > 9999);
}

function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}
