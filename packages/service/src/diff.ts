import { isDeepStrictEqual } from 'node:util';

/** Of the given fields, those whose value differs from the record's: as the new values, and as the audit log shows them. */
export function diff<Given extends object>(record: object, given: Given) {
  const now = record as Record<string, unknown>;
  const changed = Object.entries(given).filter(
    // PostgreSQL orders the keys of JSON by itself.
    ([field, value]) => value !== undefined && !isDeepStrictEqual(value, now[field]),
  );
  return {
    isEmpty: changed.length === 0,
    values: Object.fromEntries(changed) as { [Field in keyof Given]?: Exclude<Given[Field], undefined> },
    audit: Object.fromEntries(changed.map(([field, to]) => [field, { from: now[field], to }])),
  };
}
