import type { Tx } from '../../handler.ts';
import type { DocumentType } from '../document.ts';
import { type Found, type Hit, type Search, searchWindow, type Wanting } from '../driver.ts';
import type { Filter } from '../filter.ts';
import type { Question } from '../question.ts';
import { type Condition, pointsMax, rangesOfTerms, wordCondition } from './conditions.ts';
import { countDocuments, severalTerms } from './count-documents.ts';
import { filterConditions } from './filter.ts';
import { readQuestion } from './question.ts';
import { scheduleReindex } from './reindex-documents.job.ts';
import { type Match, type MatchRow, matchStatement, type Size, sizesStatement } from './statements.ts';

interface Options {
  type: DocumentType;
  filter: Filter;
  limit: number;
  offset: number;
  /** How matches are counted; absent for suggestions, which are the best of the first block. */
  counting?: Pick<Wanting, 'caller' | 'totals'>;
}

/** Matches, before the driver says how it read the question. */
interface Matches extends Omit<Found, 'question'> {
  /** Whether documents lack the terms for filters, so that rows of documents were read instead. */
  hasOutdated: boolean;
}

const blockSize = 100;
// Documents that the whole question equals.
const wholeMax = 1_000;
// Postings of a condition are counted up to so many: 8 to 12 ms.
const sizeMax = 100_000;
// A driver with fewer postings is checked to its end, and the total is exact. A look-up takes 3 to 10 µs.
const checkMax = 8_000;
// Scanning a posting takes about an eighth of a look-up.
const scanRatioMax = 8;
// Candidates that are looked up before more conditions are scanned.
const earlyMax = 5_000;
// Bounds of a search of conditions that are all common but have few documents in common.
const sparse = { scanMax: 500_000, lookUpMax: 100_000 };
const nothing = { hits: [], total: 0, isEstimate: false, hasOutdated: false };

/** The documents that contain every word of a search, and a job that completes the index if it lacks terms. */
export async function findDocuments(tx: Tx, search: Search, { schedule, ...wanting }: Wanting): Promise<Found> {
  const { offset, limit, ...counting } = wanting;
  const { hasOutdated, ...found } = await findFor(tx, search, { offset, limit, counting });
  if (hasOutdated) await scheduleReindex(tx, schedule);
  return found;
}

/** The best documents for a text, without a count. */
export async function suggestDocuments(
  tx: Tx,
  search: Search,
  limit: number,
): Promise<Pick<Found, 'question' | 'hits'>> {
  const { question, hits } = await findFor(tx, search, { offset: 0, limit });
  return { question, hits };
}

async function findFor(
  tx: Tx,
  { type, q, typo, filter }: Search,
  part: Pick<Options, 'offset' | 'limit' | 'counting'>,
): Promise<Matches & { question: Question }> {
  const options = { type, filter, ...part };
  const question = await readQuestion(tx, type, { q, typo });
  const found = await find(tx, question, options);
  if (found.total || !question.isPhone) return { question, ...found };
  // A date looks like a phone number too, and so does the number of an order.
  const inWords = await readQuestion(tx, type, { q, typo, isNoPhone: true });
  return { question: inWords, ...(await find(tx, inWords, options)) };
}

/**
 * The documents that meet all conditions, best first. The condition with the fewest postings is the driver, whose documents
 * are the candidates, in the order of its postings. Other conditions are scanned or looked up for each candidate, which does
 * not change that order: each match is on one page.
 */
async function find(tx: Tx, question: Question, options: Options): Promise<Matches> {
  const words = question.words.map(wordCondition);
  const filters = filterConditions(options.filter);
  const [driver] = words;
  if (!driver) return nothing;
  const plan: Plan = { question, options, words, filters, driver, scanned: [], checked: [], hasOutdated: false };
  if (words.length + filters.length === 1)
    return options.counting ? pageOfOneWord(tx, plan, options.counting) : countedPage(tx, plan);
  const { sizes, hasOutdated } = await sizesOf(tx, options.type, [...words, ...filters]);
  // Documents without terms for filters are filtered by their rows.
  const usable = sizes.filter(({ condition }) => !hasOutdated || !condition.isFilter);
  const [rarest, ...others] = usable.toSorted(byRarity) as [Sized, ...Sized[]];
  if (rarest.size === 0) return { ...nothing, hasOutdated };
  const ofDriver = { ...plan, driver: rarest.condition, filters: hasOutdated ? [] : filters, hasOutdated };
  const chosen = { ...ofDriver, ...chosenWays(rarest, others, sizeMax) };
  if (rarest.size < checkMax || chosen.scanned.length) return countedPage(tx, chosen);
  return (await earlyPage(tx, chosen, rarest)) ?? sparsePage(tx, chosen, rarest);
}

interface Plan extends Pick<Match, 'words' | 'filters' | 'driver' | 'scanned' | 'checked'> {
  question: Question;
  options: Options;
  /** Whether rows of documents have to be read for filters; `filters` is empty then. */
  hasOutdated: boolean;
}

/** A condition and its number of postings, counted up to a bound. */
interface Sized extends Size {
  condition: Condition;
}

async function sizesOf(
  tx: Tx,
  type: DocumentType,
  conditions: Condition[],
  bound = sizeMax,
): Promise<{ sizes: Sized[]; hasOutdated: boolean }> {
  const rows = await sizesStatement<Promise<Size[]>>(tx.sql, { type, conditions, sizeMax: bound });
  const sizes = rows.map((row) => ({ ...row, condition: conditions[row.n] as Condition }));
  return { sizes, hasOutdated: rows.some((row) => row.hasOutdated) };
}

/** Of two conditions that were not counted to their ends, the one whose first documents are further apart is rarer. */
function byRarity(a: Sized, b: Sized): number {
  return (
    a.size - b.size ||
    Number(a.condition.isInterval ?? false) - Number(b.condition.isInterval ?? false) ||
    b.span - a.span
  );
}

/** Which conditions are scanned: those of a known size that is not much more than that of the driver. */
function chosenWays(driver: Sized, others: Sized[], bound: number): Pick<Plan, 'scanned' | 'checked'> {
  const isScanned = ({ size }: Sized) => size < Math.min(bound, scanRatioMax * driver.size);
  const conditions = (sized: Sized[]) => sized.map(({ condition }) => condition);
  return {
    scanned: conditions(others.filter(isScanned)),
    checked: conditions(others.filter((other) => !isScanned(other))),
  };
}

/** Every posting of the word is a match, so only those of the page are ranked, and the others are counted. */
async function pageOfOneWord(
  tx: Tx,
  plan: Plan,
  { caller, totals }: NonNullable<Options['counting']>,
): Promise<Matches> {
  const { question, options, driver, hasOutdated } = plan;
  const { hits, matched, stoppedAt, isCut } = await readPage(tx, plan, neededFor(options), sparse.lookUpMax);
  // All matches have been read unless reading stopped at the end of the page.
  if (stoppedAt === null) return { hits, total: Math.min(matched, searchWindow), isEstimate: isCut, hasOutdated };
  const ranges = [...driver.ranges, ...rangesOfTerms(question.wholes)];
  const total = await countDocuments(tx, totals, { caller, type: options.type, ranges });
  return { hits, total: total ?? searchWindow, isEstimate: total === undefined, hasOutdated };
}

/** The number of matches to read: one more than the page shows, rounded up to a whole block. */
function neededFor({ offset, limit }: Options): number {
  return Math.ceil((offset + limit + 1) / blockSize) * blockSize;
}

/** Counts the matches up to `searchWindow`; for suggestions only the block of the page is read. */
async function countedPage(tx: Tx, plan: Plan): Promise<Matches> {
  const wanted = plan.options.counting ? searchWindow + 1 : blockSize;
  const readMax = plan.scanned.length ? sparse.scanMax : sparse.lookUpMax;
  const { hits, matched, stoppedAt, isCut } = await readPage(tx, plan, wanted, readMax);
  const total = Math.min(matched, searchWindow);
  return {
    hits,
    total,
    isEstimate: isCut || stoppedAt !== null || matched > searchWindow,
    hasOutdated: plan.hasOutdated,
  };
}

/**
 * Looks up a first part of the candidates; undefined if it does not have all of the page. The total is estimated by the part
 * of the candidates that match.
 */
async function earlyPage(tx: Tx, plan: Plan, driver: Sized): Promise<Matches | undefined> {
  const { offset, limit, counting } = plan.options;
  const isSuggesting = !counting;
  const wanted = isSuggesting ? blockSize : neededFor(plan.options);
  const { hits, matched, stoppedAt } = await readPage(tx, plan, wanted, earlyMax);
  if (stoppedAt === null && !(isSuggesting && matched >= limit)) return undefined;
  const expected = Math.max(offset + limit + 1, Math.round((matched / (stoppedAt ?? earlyMax)) * driver.size));
  return { hits, total: Math.min(expected, searchWindow), isEstimate: true, hasOutdated: plan.hasOutdated };
}

/** Scans conditions up to a higher bound. */
async function sparsePage(tx: Tx, plan: Plan, driver: Sized): Promise<Matches> {
  const { sizes } = await sizesOf(tx, plan.options.type, plan.checked, sparse.scanMax);
  return countedPage(tx, { ...plan, ...chosenWays(driver, sizes.toSorted(byRarity), sparse.scanMax) });
}

interface Page extends Pick<MatchRow, 'matched' | 'stoppedAt' | 'isCut'> {
  hits: Hit[];
}

/** One page of at least `wanted` matches, if there are so many. */
async function readPage(tx: Tx, plan: Plan, wanted: number, readMax: number): Promise<Page> {
  let matchMax = Math.ceil(wanted * severalTerms);
  let page = await readMatches(tx, plan, { matchMax, readMax });
  while (page.stoppedAt !== null && page.matched < wanted) {
    matchMax *= 4;
    page = await readMatches(tx, plan, { matchMax, readMax });
  }
  return page;
}

async function readMatches(tx: Tx, plan: Plan, bounds: { matchMax: number; readMax: number }): Promise<Page> {
  const { question, options, words, filters, driver, scanned, checked, hasOutdated } = plan;
  const { type, limit, offset, filter } = options;
  const most = pointsMax * words.length;
  const rows = await matchStatement<Promise<MatchRow[]>>(tx.sql, {
    type,
    words,
    filters,
    driver,
    scanned,
    checked,
    wholes: rangesOfTerms(question.wholes),
    rowFilter: hasOutdated ? filter : undefined,
    ...bounds,
    lookUpMax: sparse.lookUpMax,
    wholeMax,
    blockSize,
    limit: Math.max(0, Math.min(limit, searchWindow - offset)),
    offset,
    most,
  });
  const { matched = 0, stoppedAt = null, isCut = false } = rows[0] ?? {};
  return { hits: rows.flatMap((row) => (row.id === null ? [] : [asHit(row, most)])), matched, stoppedAt, isCut };
}

function asHit({ type, documentId, document, isWhole, points }: MatchRow, most: number): Hit {
  return { type, documentId, document, score: isWhole ? 1 : rounded(Math.min(points / most, 0.99)) };
}

function rounded(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
