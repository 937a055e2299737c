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
    .overwrite((given) => given.replace(/[\s().-]/g, ''));
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
  return z.record(z.string(), z.unknown()).superRefine((value, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    // Before anything else walks through it: a value that is deep enough overflows the stack.
    if (isDeeperThan(freeFormLevelsMax, value))
      return refuse(`Must be nested at most ${freeFormLevelsMax} levels deep`);
    if (Object.keys(value).length > freeFormKeysMax) refuse(`Must have at most ${freeFormKeysMax} keys`);
    if (Buffer.byteLength(JSON.stringify(value)) > freeFormBytesMax) refuse('Must be at most 16 KB');
    const leaves = leavesOf(value);
    if (!leaves.every((leaf) => typeof leaf !== 'string' || isStorable(leaf))) refuse(unstorable);
    // 1e400 is JSON, and Infinity once it is read.
    if (!leaves.every((leaf) => typeof leaf !== 'number' || Number.isFinite(leaf)))
      refuse('Has a number that is too large');
  });
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/** Every single value in a JSON value, and the keys of its objects. */
function leavesOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value];
  return [...Object.keys(value), ...Object.values(value).flatMap(leavesOf)];
}

/** PostgreSQL has no year 0, and a Date reads no year 10000 of it; a zone can lead to both. What is no time at all was refused for that already. */
function isStorableTime(wire: string): boolean {
  const year = new Date(wire).getUTCFullYear();
  return !(year < 1 || year > 9999);
}

function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}
