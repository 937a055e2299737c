import type { FieldError } from '@tandem/contract';
import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

/**
 * Parses a value by a schema. Problems are added to `errors`: each invalid field with what is accepted, in our own
 * words unless the schema has a message.
 * @returns undefined when the value is invalid
 */
export function readFields<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  errors: FieldError[],
): z.output<Schema> | undefined {
  const forbidden = forbiddenKeys(input);
  for (const field of forbidden) errors.push({ field: printable(field), message: 'Must not be named __proto__' });
  if (forbidden.length) return undefined;
  const { data, error } = schema.safeParse(input, { error: defaultMessage });
  for (const issue of error?.issues ?? []) {
    const field = printable(issue.path.map(String).join('.')) || 'body';
    const message = isMissing(issue, input) ? 'Is required' : issue.message;
    // A number that is too large for an integer also fails the bounds of its field, which often have the same message.
    const last = errors.at(-1);
    if (last?.field !== field || last.message !== message) errors.push({ field, message });
  }
  const atEdge = timesAtEdge(data);
  for (const path of atEdge)
    errors.push({ field: printable(path) || 'body', message: 'Must be between the years 2 and 9998' });
  return atEdge.length ? undefined : data;
}

/**
 * The paths of times that are refused in requests: a day, a month or a time zone more or less may be a time that cannot be
 * written. Stored records and events may have them, so the schema itself accepts them.
 */
function timesAtEdge(value: unknown, path = '', levels = levelsMax): string[] {
  if (value instanceof Date) return value.getUTCFullYear() < 2 || value.getUTCFullYear() > 9998 ? [path] : [];
  if (typeof value !== 'object' || value === null || levels === 0) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'object' ? timesAtEdge(inner, path ? `${path}.${key}` : key, levels - 1) : [],
  );
}

/**
 * Replaces control characters, invisible format characters and halves of surrogate pairs: a client may print the name of
 * a field or log it, and these characters would break the line or reorder its text. Also replaces the marks of
 * `idInText`: in the text of an error, the gateway would encode any id between them.
 */
export function printable(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}‹›]/gu, '\uFFFD');
}

// More than any schema accepts. A deeper value is rejected by its schema and must not overflow the stack here.
const levelsMax = 50;

/**
 * Finds keys named `__proto__`. The schemas drop them, so a filter by one would match everything and data would be lost
 * silently. Any other name, also `constructor`, is an ordinary key.
 */
function forbiddenKeys(value: unknown, path = '', levels = levelsMax): string[] {
  if (typeof value !== 'object' || value === null || levels === 0) return [];
  if (Object.hasOwn(value, '__proto__')) return [`${path}__proto__`];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'object' ? forbiddenKeys(inner, `${path}${key}.`, levels - 1) : [],
  );
}

const missingCodes = ['invalid_type', 'invalid_value', 'invalid_union'];

/** Whether a required field is absent. It then gets "Is required" instead of the message of its schema. */
function isMissing({ code, path }: z.core.$ZodIssue, input: unknown): boolean {
  const value = path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown> | undefined)?.[step], input);
  return value === undefined && missingCodes.includes(code);
}

/** Replaces zod's own words, for schemas without a message. */
function defaultMessage(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return types[issue.expected] ?? `Must be a ${issue.expected}`;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1 && !issue.exact) return 'Must not be empty';
      return bound(issue.origin, issue.minimum, issue.exact ? 'exactly' : issue.inclusive ? 'at least' : 'more than');
    case 'too_big':
      return bound(issue.origin, issue.maximum, issue.exact ? 'exactly' : issue.inclusive ? 'at most' : 'less than');
    case 'invalid_format':
      return format(issue);
    case 'not_multiple_of':
      return `Must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `Must not contain unknown fields, such as ${String(issue.keys[0]).slice(0, 50)}`;
    case 'invalid_union':
      return alternatives(issue);
    case 'invalid_key':
      return `The name ${lowerFirst(issue.issues[0]?.message)}`;
    case 'invalid_element':
      return `Each entry ${lowerFirst(issue.issues[0]?.message)}`;
    default:
      return 'Is invalid';
  }
}

const types: Record<string, string> = {
  int: 'Must be a whole number',
  boolean: 'Must be true or false',
  array: 'Must be a list',
  tuple: 'Must be a list',
  object: 'Must be an object',
  record: 'Must be an object',
  null: 'Must be null',
  never: 'Must be omitted',
  nonoptional: 'Is required',
};

const units: Record<string, [verb: string, one: string, many: string]> = {
  string: ['be', 'character', 'characters'],
  array: ['contain', 'entry', 'entries'],
  set: ['contain', 'entry', 'entries'],
};

function bound(origin: string, limit: number | bigint, how: string): string {
  if (origin === 'date') return `Must be ${how} ${new Date(Number(limit)).toISOString()}`;
  const [verb, one, many] = units[origin] ?? [];
  if (!one) return `Must be ${how === 'exactly' ? '' : `${how} `}${limit}`;
  return `Must ${verb} ${how} ${limit} ${Number(limit) === 1 ? one : many}`;
}

const formats: Record<string, string> = {
  email: 'Must be a valid e-mail address',
  url: 'Must be a URL such as https://example.com',
  uuid: 'Must be a UUID',
  datetime: 'Must be an ISO 8601 date and time',
  date: 'Must be a date such as 2026-01-31',
  time: 'Must be a time such as 09:30:00',
  duration: 'Must be an ISO 8601 duration such as PT15M',
  ipv4: 'Must be an IPv4 address',
  ipv6: 'Must be an IPv6 address',
  cidrv4: 'Must be an IPv4 network such as 203.0.113.0/24',
  cidrv6: 'Must be an IPv6 network such as 2001:db8::/32',
  base64: 'Must be base64',
  base64url: 'Must be base64url',
  e164: 'Must be a phone number with country code, such as +491701234567',
};

function format(raw: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>): string {
  const issue = raw as z.core.$ZodStringFormatIssues;
  if (issue.format === 'starts_with') return `Must begin with ${issue.prefix}`;
  if (issue.format === 'ends_with') return `Must end with ${issue.suffix}`;
  if (issue.format === 'includes') return `Must contain ${issue.includes}`;
  return formats[issue.format] ?? (issue.pattern ? `Must match ${issue.pattern}` : `Must be a valid ${issue.format}`);
}

function alternatives(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const { options } = issue as { options?: readonly unknown[] };
  if (options?.length) return oneOf(options);
  const reasons = issue.errors.map(([first]) => first && [...first.path.map(String), first.message].join(': '));
  const distinct = [...new Set(reasons.filter((reason) => reason !== undefined))];
  if (!distinct.length) return 'Must match exactly one of the allowed forms';
  return distinct.map((reason, index) => (index ? lowerFirst(reason) : reason)).join(', or ');
}

function oneOf(values: readonly unknown[]): string {
  return values.length === 1 ? `Must be ${values[0]}` : `Must be one of ${values.map(String).join(', ')}`;
}

function lowerFirst(text = 'is invalid'): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
