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
