import type { z } from 'zod';
import type { FieldError } from './envelope.ts';

const ends = [
  { first: /^from$/, last: 'to' },
  { first: /From$/, last: 'To' },
  { first: /Min$/, last: 'Max' },
] as const;

/** The fields with the beginning of a range that ends before it: `from` with `to`, and names with From and To, or Min and Max. */
export function reversedRanges(values: Readonly<Record<string, unknown>>): FieldError[] {
  return Object.keys(values).flatMap((field) => {
    const end = ends.find(({ first }) => first.test(field));
    if (!end) return [];
    const last = field.replace(end.first, end.last);
    return isAfter(values[field], values[last]) ? [{ field, message: `Must not be after \`${last}\`` }] : [];
  });
}

/** A schema that refuses reversed ranges, so that they are an error instead of an empty result. */
export function withOrderedRanges<Schema extends z.ZodObject>(schema: Schema): Schema {
  return schema.superRefine((values, context) => {
    for (const { field, message } of reversedRanges(values))
      context.addIssue({ code: 'custom', path: [field], message });
  });
}

/** Times in JSON have one form, in which their texts are in the order of the times. */
function isAfter(first: unknown, last: unknown): boolean {
  if (first instanceof Date && last instanceof Date) return first > last;
  if (typeof first === 'number' && typeof last === 'number') return first > last;
  return isTime(first) && isTime(last) && first > last;
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value);
}
