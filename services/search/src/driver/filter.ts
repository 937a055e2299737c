import { textFacets, timeFacets, valueFacets } from '../fields.ts';

export const filterFields = [...textFacets, ...valueFacets, ...timeFacets] as const;
export type FilterField = (typeof filterFields)[number];
export type FilterValue = string | number | Date;

/** A comparison of one field. A document without the field meets only `ne` and `exists: false`. */
export type Comparison =
  | { field: FilterField; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte'; value: FilterValue }
  | { field: FilterField; op: 'in'; value: FilterValue[] }
  | { field: FilterField; op: 'exists'; value: boolean };

/** A condition on documents. */
export type Filter = { and: Filter[] } | { or: Filter[] } | Comparison;
