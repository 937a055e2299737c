import type { Tx } from '../../database.ts';
import { rangesOfTerms } from '../conditions.ts';
import {
  type Match as Hit,
  type Matches,
  rankDepth,
  type Search,
  type Suggesting,
  searchWindow,
  type Wanting,
} from '../driver.ts';
import { filterConditions } from '../filter-conditions.ts';
import { scoreOf } from '../ranking.ts';
import { countDocuments, severalTerms } from './count-documents.ts';
import type { Match } from './parameters.ts';
import { checkMax, type Plan, planFor, planNothing, planOneWord, type Sized, sparse, sparsePlan } from './plan.ts';
import { scheduleReindex } from './reindex-documents.job.ts';
import { type MatchRow, matchStatement } from './statements.ts';

// Documents that the whole question equals.
const wholeMax = 1_000;
// Matches that are scored, if all are read: 20 to 60 ms.
const scoredMax = 2_000;
// Candidates that are looked up before more conditions are scanned.
const earlyMax = 5_000;
const nothing: Found = { hits: [], total: 0, isEstimate: false };

type Part = Pick<Wanting, 'offset' | 'limit' | 'excluded' | 'wantsKeys'>;

/**
 * The documents that meet all conditions, best first. The condition with the fewest postings is the driver, whose documents
 * are the candidates, in the order of its postings. Other conditions are scanned or looked up for each candidate, which does
 * not change that order: each match is on one page.
 */
export async function matchDocuments(tx: Tx, search: Search, wanting: Wanting): Promise<Matches> {
  const found = await pageOf(tx, search, wanting);
  return { ...found, hasMore: found.hits.length === wanting.limit };
}

type Found = Omit<Matches, 'hasMore'>;

async function pageOf(tx: Tx, search: Search, wanting: Wanting): Promise<Found> {
  const { caller, schedule } = wanting;
  const single = planOneWord(search);
  if (single) return pageOfOneWord(tx, single, wanting);
  const plan = await planFor(tx, search, caller);
  if (plan?.hasOutdated) await scheduleReindex(tx, schedule);
  if (!plan?.driver.size) return nothing;
  // All matches are read on every page, so they can be ordered by points: candidates of a filter are in no order of words.
  if (plan.driver.size < checkMax || plan.scanned.length) return countedPage(tx, plan, wanting, scoredMax);
  return (await earlyPage(tx, plan, wanting)) ?? countedPage(tx, await sparsePlan(tx, plan), wanting);
}

/** The documents that the question as a whole equals, whatever words it has. */
export async function wholeDocuments(tx: Tx, search: Search): Promise<Hit[]> {
  const plan = { ...planNothing(search), filters: filterConditions(search) };
  const bounds = { offset: 0, limit: rankDepth, matchMax: rankDepth, readMax: 0 };
  return (await readMatches(tx, plan, bounds)).hits;
}

/** The best documents, block by block, without a count. */
export async function suggestDocuments(tx: Tx, search: Search, { offset, limit, weight }: Suggesting): Promise<Hit[]> {
  const whole = planOneWord(search) ?? (await planFor(tx, search));
  if (!whole || whole.driver.size === 0) return [];
  const plan = weight === undefined ? whole : ofWeight(whole, weight);
  const page = { offset, limit };
  const wanted = neededFor(page);
  // Of the postings of one weight it is not known how many have to be read.
  const isEarly = plan.driver.size >= checkMax && !plan.scanned.length && weight === undefined;
  const early = await readPage(tx, plan, page, { wanted, readMax: isEarly ? earlyMax : readMaxOf(plan) });
  if (!isEarly || early.matched >= offset + limit) return early.hits;
  const sparser = await sparsePlan(tx, plan);
  return (await readPage(tx, sparser, page, { wanted, readMax: readMaxOf(sparser) })).hits;
}

/** The same plan for documents that have the word of the driver in a field of this weight. A filter has no weight. */
function ofWeight(plan: Plan, weight: number): Plan {
  const { condition } = plan.driver;
  if (condition.isFilter) return plan;
  const ranges = condition.ranges.map((range) => ({ ...range, weight }));
  return { ...plan, driver: { ...plan.driver, condition: { ...condition, ranges } } };
}

/** Every posting of the word is a match, so only those of the page are ranked, and the others are counted. */
async function pageOfOneWord(tx: Tx, plan: Plan, { caller, totals, ...part }: Wanting): Promise<Found> {
  const { search, driver } = plan;
  const bounds = { wanted: neededFor(part), readMax: sparse.lookUpMax };
  const { hits, matched, stoppedAt, isCut, keys } = await readPage(tx, plan, part, bounds);
  // All matches have been read unless reading stopped at the end of the page.
  if (stoppedAt === null) {
    const found = { hits, total: Math.min(matched, searchWindow), isEstimate: isCut };
    return keys && !isCut && matched <= searchWindow ? { ...found, keys } : found;
  }
  const ranges = [...driver.condition.ranges, ...rangesOfTerms(search.question.wholes)];
  const total = await countDocuments(tx, totals, { caller, index: search.index, ranges });
  return { hits, total: total ?? searchWindow, isEstimate: total === undefined };
}

/** The number of matches to read: one more than the page shows, rounded up to a whole block. */
function neededFor({ offset, limit, excluded = [] }: Part): number {
  return Math.ceil((offset + limit + 1) / rankDepth) * rankDepth + excluded.length;
}

/** Counts the matches up to `searchWindow`. */
async function countedPage(tx: Tx, plan: Plan, part: Part, scoredMax = 0): Promise<Found> {
  const bounds = { wanted: searchWindow + 1, readMax: readMaxOf(plan), scoredMax };
  const { hits, matched, stoppedAt, isCut, keys } = await readPage(tx, plan, part, bounds);
  const isEstimate = isCut || stoppedAt !== null || matched > searchWindow;
  const found = { hits, total: Math.min(matched, searchWindow), isEstimate };
  return keys && !isEstimate ? { ...found, keys } : found;
}

/** How many postings of the driver are read when all matches are wanted. */
export function readMaxOf({ scanned }: Plan): number {
  return scanned.length ? sparse.scanMax : sparse.lookUpMax;
}

/**
 * Looks up a first part of the candidates; undefined if it does not have all of the page. The total is estimated by the part
 * of the candidates that match.
 */
async function earlyPage(tx: Tx, plan: Plan, part: Part): Promise<Found | undefined> {
  const { offset, limit } = part;
  const bounds = { wanted: neededFor(part), readMax: earlyMax };
  const { hits, matched, stoppedAt } = await readPage(tx, plan, part, bounds);
  if (stoppedAt === null) return undefined;
  const expected = Math.max(offset + limit + 1, Math.round((matched / stoppedAt) * (plan.driver as Sized).size));
  return { hits, total: Math.min(expected, searchWindow), isEstimate: true };
}

interface Page extends Pick<MatchRow, 'matched' | 'stoppedAt' | 'isCut' | 'keys'> {
  hits: Hit[];
}

/** One page of at least `wanted` matches, if there are so many. */
async function readPage(
  tx: Tx,
  plan: Plan,
  part: Part,
  { wanted, ...bounds }: { wanted: number; readMax: number; scoredMax?: number },
): Promise<Page> {
  let matchMax = Math.ceil(wanted * severalTerms);
  let page = await readMatches(tx, plan, { ...part, ...bounds, matchMax });
  while (page.stoppedAt !== null && page.matched < wanted) {
    matchMax *= 4;
    page = await readMatches(tx, plan, { ...part, ...bounds, matchMax });
  }
  return page;
}

type Bounds = Part & { matchMax: number; readMax: number; scoredMax?: number };

async function readMatches(tx: Tx, plan: Plan, bounds: Bounds): Promise<Page> {
  const rows = await matchStatement<Promise<MatchRow[]>>(tx.sql, statementFor(plan, bounds));
  const { matched = 0, stoppedAt = null, isCut = false, keys = null } = rows[0] ?? {};
  const hits = rows.flatMap((row) => (row.key === null ? [] : [asMatch(row, plan)]));
  return { hits, matched, stoppedAt, isCut, keys };
}

/** The statement that reads the matches of a plan. */
export function statementFor(plan: Plan, bounds: Bounds): Match {
  const { limit, offset, excluded = [], wantsKeys = false, matchMax, readMax, scoredMax = 0 } = bounds;
  const { search, driver, words, filters, scanned, checked } = plan;
  return {
    ...{
      index: search.index,
      words,
      filters,
      scanned,
      checked,
      excluded,
      matchMax,
      readMax,
      wholeMax,
      offset,
      wantsKeys,
    },
    driver: driver.condition,
    wholes: rangesOfTerms(search.question.wholes),
    lookUpMax: sparse.lookUpMax,
    blockSize: rankDepth,
    scoredMax,
    limit: Math.max(0, Math.min(limit, searchWindow - offset)),
  };
}

function asMatch({ key, isWhole, points }: MatchRow, { factors }: Plan): Hit {
  return { key: key as number, isWhole, score: isWhole ? 1 : scoreOf(points, factors) };
}
