import { failField } from '@tandem/service';
import type { Comparison, Filter, FilterField } from '../../driver/filter.ts';

/** A filter of all conditions that are present; undefined without any. */
export function allOf(conditions: (Comparison | false | undefined)[]): Filter | undefined {
  const and = conditions.filter((condition) => condition !== undefined && condition !== false);
  return and.length ? { and } : undefined;
}

/** The condition that a field has a value, if there is one to compare with. */
export function equal(field: FilterField, value: string | undefined): Comparison | undefined {
  return value === undefined ? undefined : { field, op: 'eq', value };
}

/** @throws ApiError 422 for an interval whose end is before its beginning, which no document can be in */
export function checkInterval<Name extends string>(
  query: { [name in Name]?: Date | number | undefined },
  from: Name,
  to: Name,
): void {
  const [low, high] = [query[from], query[to]];
  if (low === undefined || high === undefined || low <= high) return;
  throw failField(to, `Must not be ${high instanceof Date ? 'before' : 'below'} ${from}`);
}
