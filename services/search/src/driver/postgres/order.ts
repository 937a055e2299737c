import type { Tx } from '../../database.ts';
import { facetRange } from '../conditions.ts';
import { type FacetCounts, type Others, type Search, type Sort, searchWindow, type Wanting } from '../driver.ts';
import { severalTerms } from './count-documents.ts';
import { statementFor } from './find.ts';
import { checkMax, type Plan, planFor, planNothing, planOneWord, sizeMax, sparse } from './plan.ts';
import { facetStatement, orderedScanStatement, sortedStatement } from './statements-of-sets.ts';

const facetValuesMax = 100;
// Candidates that are looked up for facets and for an order, when no condition is rare.
const commonMax = 10_000;
const matchMax = Math.ceil(searchWindow * severalTerms);

/**
 * Keys of matches in the order of a field. Up to the window, all matches are collected and sorted. If there are more, the terms
 * of the field are read in their order until the page is complete.
 */
export async function sortedDocuments(
  tx: Tx,
  search: Search,
  { field, isDescending }: Sort,
  { offset, limit, others }: Pick<Wanting, 'offset' | 'limit'> & Others,
): Promise<number[]> {
  const plan = await wholePlan(tx, search);
  const order = { range: facetRange(field, {}), isDescending, others };
  const rows = await sortedStatement(tx.sql, boundsOf(plan, { offset, limit }), order);
  const { matched = 0, isCut = false } = rows[0] ?? {};
  if (!isCut && matched <= searchWindow) return rows.flatMap(({ key }) => (key === null ? [] : [key]));
  const scanned = { ...boundsOf(plan, { offset, limit }), readMax: sparse.lookUpMax };
  return (await orderedScanStatement(tx.sql, scanned, order)).map(({ key }) => key);
}

/** Counts values among the matches, up to the window. */
export async function countFacets(tx: Tx, search: Search, fields: string[], { others }: Others) {
  const plan = await wholePlan(tx, search);
  const counts: FacetCounts = Object.fromEntries(fields.map((field) => [field, []]));
  const ranges = fields.map((field) => ({ field, ...facetRange(field, {}) }));
  const rows = await facetStatement(tx.sql, boundsOf(plan, { offset: 0, limit: 0 }), { ranges, others });
  for (const { field, term, count } of rows) {
    const values = field === null || term === null ? undefined : counts[field];
    if (values && values.length < facetValuesMax)
      values.push({ value: (term as string).slice(facetRange(field as string, {}).low.length), count });
  }
  return { counts, isComplete: !rows[0]?.isCut && (rows[0]?.matched ?? 0) <= searchWindow };
}

/** The plan of all matches of a search, as many as are read. */
async function wholePlan(tx: Tx, search: Search): Promise<Plan> {
  return planOneWord(search) ?? (await planFor(tx, search)) ?? planNothing(search);
}

function boundsOf(plan: Plan, page: { offset: number; limit: number }) {
  const isCommon = plan.driver.size >= checkMax && !plan.scanned.length && plan.checked.length > 0;
  const readMax = plan.scanned.length ? sparse.scanMax : isCommon ? commonMax : sizeMax;
  return { ...statementFor(plan, { ...page, matchMax, readMax }), lookUpMax: commonMax };
}
