import { isDeepStrictEqual } from 'node:util';

/**
 * Compares new values with a record. Returns the changed fields with their new values, and with before and after as the
 * audit log stores them.
 */
export function diff<Input extends object>(record: object, input: Input) {
  const current = record as Record<string, unknown>;
  const changed = Object.entries(input).filter(
    // Compares deeply and ignores key order, because PostgreSQL reorders the keys of JSON.
    ([field, value]) => value !== undefined && !isDeepStrictEqual(value, current[field]),
  );
  return {
    isEmpty: changed.length === 0,
    values: Object.fromEntries(changed) as { [Field in keyof Input]?: Exclude<Input[Field], undefined> },
    audit: Object.fromEntries(changed.map(([field, to]) => [field, { from: current[field], to }])),
  };
}
