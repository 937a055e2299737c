import { fragment } from '@tandem/tenant-db';
import { facetTerm, numberTerm, timeTerm } from '../../terms.ts';
import type { Filter } from '../filter.ts';
import { type Condition, facetCondition, rangeCondition } from './conditions.ts';

const facets = ['status', 'source', 'stage', 'tier', 'currency', 'assignedTo'] as const;

/** The conditions of a filter, as the index answers them. */
export function filterConditions(filter: Filter): Condition[] {
  const equal = facets.flatMap((field) => {
    const value = filter[field];
    return value === undefined ? [] : [facetCondition([facetTerm(field, value)])];
  });
  const owned = filter.owners ? [facetCondition(filter.owners.map((owner) => facetTerm('owner', owner)))] : [];
  const { minScore, minValue, maxValue, createdFrom, createdTo } = filter;
  const between = [
    minScore === undefined ? [] : [rangeCondition('score', { from: numberTerm('score', minScore) })],
    minValue === undefined ? [] : [rangeCondition('value', { from: numberTerm('value', minValue) })],
    maxValue === undefined ? [] : [rangeCondition('value', { to: numberTerm('value', maxValue) })],
    createdFrom ? [rangeCondition('createdAt', { from: timeTerm('createdAt', createdFrom) })] : [],
    createdTo ? [rangeCondition('createdAt', { to: timeTerm('createdAt', createdTo) })] : [],
  ].flat();
  return [...owned, ...equal, ...between];
}

/** The columns of a filter that is read from JSON. */
export const filterColumns = fragment`status text, source text, stage text, tier text, currency text, "assignedTo" text,
  "minScore" float, "minValue" float, "maxValue" float, "createdFrom" timestamptz, "createdTo" timestamptz, owners text[]`;

/** The conditions of the filter `given` on a `document`; an absent one matches every document. */
export const passesFilter = fragment`(given.status IS NULL OR document.status = given.status)
  AND (given.source IS NULL OR document.source = given.source)
  AND (given.stage IS NULL OR document.stage = given.stage)
  AND (given.tier IS NULL OR document.tier = given.tier)
  AND (given.currency IS NULL OR document.currency = given.currency)
  AND (given."assignedTo" IS NULL OR document.assigned_to = given."assignedTo")
  AND (given."minScore" IS NULL OR document.score >= given."minScore")
  AND (given."minValue" IS NULL OR document.value >= given."minValue")
  AND (given."maxValue" IS NULL OR document.value <= given."maxValue")
  AND (given."createdFrom" IS NULL OR document.created_at >= given."createdFrom")
  AND (given."createdTo" IS NULL OR document.created_at <= given."createdTo")
  AND (given.owners IS NULL OR document.owners && given.owners)`;
