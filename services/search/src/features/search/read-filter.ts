import { unknownId } from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import { type SearchComparison, type SearchFilter, SearchTime, searchFields } from '@tandem/search-contract';
import { failField } from '@tandem/service';
import type { z } from 'zod';
import type { Comparison, Filter, FilterValue } from '../../driver/filter.ts';
import { textFacets, timeFacets, valueFacets } from '../../fields.ts';
import type { SearchedType } from '../documents/document.ts';

/** The type of the documents, and the tenant whose ids the values of a filter have. */
interface Within {
  type: SearchedType;
  ids: IdCodec;
  tenantId: number;
}

type Given = z.output<typeof SearchFilter>;
type GivenComparison = z.output<typeof SearchComparison>;

/**
 * A filter of a request as a driver takes it.
 * @throws ApiError 422 for a field that the type does not have, or a value that the field or the operator does not take
 */
export function readFilter(given: Given, within: Within, path = 'filter'): Filter {
  const { and, or, ...comparison } = given;
  const read = (parts: unknown[], name: string) =>
    parts.map((part, n) => readFilter(part as Given, within, `${path}.${name}.${n}`));
  if (and) return { and: read(and, 'and') };
  if (or) return { or: read(or, 'or') };
  return readComparison(comparison as GivenComparison, within, path);
}

/** The comparisons of a driver, by operator. */
const comparisons = {
  equals: 'eq',
  not_equals: 'ne',
  greater_than: 'gt',
  at_least: 'gte',
  less_than: 'lt',
  at_most: 'lte',
} as const;

function readComparison({ field, operator, value }: GivenComparison, within: Within, path: string): Comparison {
  const fields = fieldsFor(within.type);
  const read = (one: unknown, at: string) => readValue(field, one, { ...within, path: at });
  if (!fields.includes(field)) throw failField(`${path}.field`, `Must be one of ${fields.join(', ')}`);
  if (operator === 'is_set' || operator === 'is_not_set') {
    if (value !== undefined && value !== null) throw failField(`${path}.value`, `Must not be sent for ${operator}`);
    return { field, op: 'exists', value: operator === 'is_set' };
  }
  if (operator === 'in') {
    if (!Array.isArray(value)) throw failField(`${path}.value`, 'Must be a list');
    return { field, op: 'in', value: value.map((one, n) => read(one, `${path}.value.${n}`)) };
  }
  const isText = (textFacets as readonly string[]).includes(field);
  if (isText && operator !== 'equals' && operator !== 'not_equals')
    throw failField(
      `${path}.operator`,
      `Must be equals, not_equals, in, is_set or is_not_set for ${field}, which is a text`,
    );
  return { field, op: comparisons[operator], value: read(value, `${path}.value`) };
}

function readValue(field: string, value: unknown, { path, ids, tenantId }: Within & { path: string }): FilterValue {
  if ((valueFacets as readonly string[]).includes(field)) {
    if (typeof value !== 'number') throw failField(path, `Must be a number for ${field}`);
    return value;
  }
  if (typeof value !== 'string') throw failField(path, `Must be a text for ${field}`);
  if (field === 'assignedTo') {
    const id = ids.decode('user', tenantId, value);
    if (id === undefined) throw failField(path, unknownId('user'));
    return ids.encode('user', tenantId, id);
  }
  return (timeFacets as readonly string[]).includes(field) ? readTime(value, path) : value;
}

function readTime(text: string, path: string): Date {
  const { data: time, error } = SearchTime.safeParse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (!time) throw failField(path, error?.issues[0]?.message ?? '');
  return time;
}

function fieldsFor(type: SearchedType): string[] {
  const { facets, sorts } = searchFields[type];
  return [...facets, ...sorts.filter((field) => field !== 'name')];
}
