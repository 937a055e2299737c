import { failField } from '@tandem/service';
import { facetTerm, numberTerm, timeTerm } from '../terms.ts';
import { type Condition, facetRange, type TermRange } from './conditions.ts';
import type { Search } from './driver.ts';
import type { Comparison, Filter, FilterField, FilterValue } from './filter.ts';

// Each condition is a look-up for each candidate.
const conditionsMax = 64;

/** The conditions of a search besides its words, as the index answers them: a document must meet each of them. */
export function filterConditions({ filter, owners }: Pick<Search, 'filter' | 'owners'>): Condition[] {
  const owned = owners?.map((owner) => facetRange('owner', { from: facetTerm('owner', owner), isOne: true }));
  return [...(owned ? [{ ranges: owned, isFilter: true as const }] : []), ...(filter ? conditionsOf(filter) : [])];
}

/** A filter as conditions of which each is a choice between ranges of terms. */
function conditionsOf(filter: Filter): Condition[] {
  if ('and' in filter) return bounded(filter.and.flatMap(conditionsOf));
  if ('or' in filter) return eitherOf(filter.or.map(conditionsOf));
  return [{ ...comparisonRanges(filter), isFilter: true }];
}

/** A or B, where both are several conditions: each of A or each of B. */
function eitherOf(alternatives: Condition[][]): Condition[] {
  return alternatives.reduce((some, others) =>
    bounded(
      some.flatMap((one) =>
        others.map((other) => ({ ranges: [...one.ranges, ...other.ranges], isFilter: true, isInterval: true })),
      ),
    ),
  );
}

/** @throws ApiError 422 for a filter whose alternatives have too many combinations */
function bounded(conditions: Condition[]): Condition[] {
  if (conditions.length > conditionsMax)
    throw failField('filter', `Has too many combinations of \`and\` inside \`or\`: at most ${conditionsMax}`);
  return conditions;
}

function comparisonRanges(comparison: Comparison): { ranges: TermRange[]; isInterval?: boolean } {
  const { field, op } = comparison;
  if (op === 'exists') return { ranges: [{ ...facetRange(field, {}), isAbsent: !comparison.value }], isInterval: true };
  if (op === 'in')
    return { ranges: comparison.value.map((one) => facetRange(field, { from: termOf(field, one), isOne: true })) };
  const term = termOf(field, comparison.value);
  if (op === 'eq') return { ranges: [facetRange(field, { from: term, isOne: true })] };
  if (op === 'ne') return { ranges: [{ ...facetRange(field, { from: term, isOne: true }), isAbsent: true }] };
  const isLow = op === 'gt' || op === 'gte';
  const range = facetRange(field, { ...(isLow ? { from: term } : { to: term }), isOpen: op === 'gt' || op === 'lt' });
  return { ranges: [range], isInterval: true };
}

function termOf(field: FilterField, value: FilterValue): string {
  if (typeof value === 'number') return numberTerm(field, value);
  return value instanceof Date ? timeTerm(field, value) : facetTerm(field, value);
}
