import type { Tx } from '../../database.ts';
import { facetRange } from '../conditions.ts';
import {
  type FacetCounts,
  type Others,
  type Search,
  type Sort,
  type Sorted,
  searchWindow,
  type Wanting,
} from '../driver.ts';
import { severalTerms } from './count-documents.ts';
import { readMaxOf, statementFor } from './find.ts';
import { checkMax, type Plan, planFor, planNothing, planOneWord, sizeMax, sparse, sparsePlan } from './plan.ts';
import { facetStatement, type Order, orderedScanStatement, sortedStatement } from './statements-of-sets.ts';

const facetValuesMax = 100;
// Candidates that are looked up for facets and for an order, when no condition is rare.
const commonMax = 10_000;
// Terms of a field that are read in their order, and their documents looked up: 0.1 to 0.3 s.
const orderedMax = 30_000;
const collectedMax = Math.ceil(searchWindow * severalTerms);

type Page = Pick<Wanting, 'offset' | 'limit'>;

/**
 * Keys of matches in the order of a field. Up to the window, all matches are collected and sorted. If there are more, the first
 * terms of the field are read in their order. Matches with later terms, or none, are sorted after them, as many as are collected.
 */
export async function sortedDocuments(
  tx: Tx,
  search: Search,
  { field, isDescending }: Sort,
  { offset, limit, others }: Page & Others,
): Promise<Sorted> {
  const plan = await wholePlan(tx, search);
  const order = { range: facetRange(field, {}), isDescending, others };
  const bounds = boundsOf(plan, { offset, limit });
  const all = await sortedStatement(tx.sql, bounds, order);
  if (!all[0]?.isCut) return { keys: keysIn(all), isCut: false };
  const end = offset + bounds.limit;
  const scanned = { ...bounds, offset: 0, limit: end, readMax: orderedMax };
  const first = (await orderedScanStatement(tx.sql, scanned, order)).map(({ key }) => key);
  if (first.length >= end) return { keys: first.slice(offset), isCut: false };
  // They have the first places among what is collected, so the pages that were read from the field have the same order.
  const sparser = plan.scanned.length ? plan : await sparsePlan(tx, plan);
  const keys = await sortCollected(tx, sparser, { offset, limit }, { ...order, others: [...others, ...first] });
  return { keys, isCut: keys.length < bounds.limit };
}

/** One page of the matches that are collected, which are as many as the window if there are so many. */
async function sortCollected(tx: Tx, plan: Plan, page: Page, order: Order): Promise<number[]> {
  const readMax = readMaxOf(plan);
  for (let matchMax = collectedMax; ; matchMax *= 4) {
    const rows = await sortedStatement(tx.sql, statementFor(plan, { ...page, matchMax, readMax }), order);
    const { matched = 0, isStopped = false } = rows[0] ?? {};
    if (!isStopped || matched >= searchWindow) return keysIn(rows);
  }
}

function keysIn(rows: { key: number | null }[]): number[] {
  return rows.flatMap(({ key }) => (key === null ? [] : [key]));
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

function boundsOf(plan: Plan, page: Page) {
  const isCommon = plan.driver.size >= checkMax && !plan.scanned.length && plan.checked.length > 0;
  const readMax = plan.scanned.length ? sparse.scanMax : isCommon ? commonMax : sizeMax;
  return { ...statementFor(plan, { ...page, matchMax: collectedMax, readMax }), lookUpMax: commonMax };
}
