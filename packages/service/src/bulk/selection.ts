import { bulkFilterMax } from '@tandem/contract';
import { failField } from '../api-error.ts';

/** The fields of `bulkSelection` in a parsed body. */
export interface SelectionBody {
  ids?: string[];
  filter?: Record<string, unknown>;
  expectedCount?: number;
}

/** The selection of a request: ids as the client sent them, or a filter. */
export type Selection = { ids: string[] } | { filter: Record<string, unknown>; expectedCount: number };

/**
 * Reads which of both a request sent.
 * @throws ApiError 422 unless it is one of them, and the filter names at least one field and the expected count
 */
export function readSelection({ ids, filter, expectedCount }: SelectionBody): Selection {
  if (ids && filter) throw failField('filter', 'Send either ids or filter, not both');
  if (ids) return { ids };
  if (!filter) throw failField('ids', 'Send ids, or filter together with expectedCount');
  if (!Object.keys(filter).length) throw failField('filter', 'Must have at least one filter of the list');
  if (expectedCount === undefined)
    throw failField('expectedCount', 'Is required with filter: the number of records that it should match');
  if (expectedCount > bulkFilterMax) throw failField('expectedCount', `Must be at most ${bulkFilterMax}`);
  return { filter, expectedCount };
}
