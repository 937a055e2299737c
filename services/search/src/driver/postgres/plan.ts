import type { Tx } from '../../database.ts';
import { type Condition, wordCondition } from '../conditions.ts';
import type { Search, Wanting } from '../driver.ts';
import { filterConditions } from '../filter-conditions.ts';
import { idfOf } from '../ranking.ts';
import { documentCount } from './rarity.ts';
import { type Size, sizesStatement } from './statements.ts';

// Postings of a condition are counted up to so many: 8 to 12 ms.
export const sizeMax = 100_000;
/** A driver with fewer postings is checked to its end, and the total is exact. A look-up takes 3 to 10 µs. */
export const checkMax = 8_000;
// Scanning a posting takes about an eighth of a look-up.
const scanRatioMax = 8;
/** Bounds of a search of conditions that are all common but have few documents in common. */
export const sparse = { scanMax: 500_000, lookUpMax: 100_000 };

/** A condition and its number of postings, counted up to a bound. */
export interface Sized extends Pick<Size, 'size' | 'span'> {
  condition: Condition;
}

/** How the documents of a search are read. */
export interface Plan {
  search: Search;
  words: Condition[];
  filters: Condition[];
  /** What a match of each word counts, by its rarity. */
  factors: number[];
  driver: Sized;
  scanned: Condition[];
  checked: Condition[];
  /** Whether documents of the tenant have an earlier form of the index. */
  hasOutdated: boolean;
}

/** The plan of a search that has one word and nothing else: no counts are needed for it. */
export function planOneWord(search: Search): Plan | undefined {
  const words = search.question.words.map((word) => wordCondition(word));
  const [condition] = words;
  if (!condition || words.length > 1 || search.filter || search.owners) return undefined;
  const driver = { condition, size: Number.POSITIVE_INFINITY, span: 0 };
  return { search, words, filters: [], factors: [1], driver, scanned: [], checked: [], hasOutdated: false };
}

/**
 * Chooses how the documents of a search are read, by the number of documents of each condition.
 * @param caller whose documents are counted for the rarity of words; without one, all words count the same
 * @returns undefined for a search without words
 */
export async function planFor(tx: Tx, search: Search, caller?: Wanting['caller']): Promise<Plan | undefined> {
  const { question, index } = search;
  if (!question.words.length) return undefined;
  const filters = filterConditions(search);
  const sized = await sizesOf(tx, index, [...question.words.map((word) => wordCondition(word)), ...filters]);
  const documents = caller && question.words.length > 1 ? await documentCount(tx, caller, index) : 0;
  const factors = question.words.map((_, n) => (documents ? idfOf((sized.sizes[n] as Sized).size, documents) : 1));
  // The conditions of words with what a match of each counts.
  const words = question.words.map((word, n) => wordCondition(word, factors[n]));
  const weighed = sized.sizes.map((size, n) => ({ ...size, condition: words[n] ?? size.condition }));
  return { ...chosen(weighed), search, words, filters, factors, hasOutdated: sized.hasOutdated };
}

/** The plan of a search that finds nothing itself, for a set of documents that are named. */
export function planNothing(search: Search): Plan {
  const driver = { condition: { ranges: [], isFilter: false }, size: 0, span: 0 };
  return { search, words: [], filters: [], factors: [], driver, scanned: [], checked: [], hasOutdated: false };
}

/** The plan of documents that meet conditions, none of which is a word that has to match. */
export async function planConditions(tx: Tx, search: Search, first: Condition): Promise<Plan> {
  const filters = filterConditions(search);
  const { sizes, hasOutdated } = await sizesOf(tx, search.index, [first, ...filters]);
  return { ...chosen(sizes), search, words: [first], filters, factors: [1], hasOutdated };
}

/** The same plan with more conditions scanned. */
export async function sparsePlan(tx: Tx, plan: Plan): Promise<Plan> {
  const { sizes } = await sizesOf(tx, plan.search.index, plan.checked.filter(isReadable), sparse.scanMax);
  const unreadable = plan.checked.filter((condition) => !isReadable(condition));
  const ways = waysOf(plan.driver, sizes.toSorted(byRarity), sparse.scanMax);
  return { ...plan, scanned: ways.scanned, checked: [...ways.checked, ...unreadable] };
}

async function sizesOf(
  tx: Tx,
  index: string,
  conditions: Condition[],
  bound = sizeMax,
): Promise<{ sizes: Sized[]; hasOutdated: boolean }> {
  if (!conditions.length) return { sizes: [], hasOutdated: false };
  const readable = conditions.map((condition) => (isReadable(condition) ? condition : { ...condition, ranges: [] }));
  const rows = await sizesStatement<Promise<Size[]>>(tx.sql, { index, conditions: readable, sizeMax: bound });
  const sizes = rows
    .toSorted((one, other) => one.n - other.n)
    .map(({ n, size, span }) => ({ size, span, condition: conditions[n] as Condition }));
  return { sizes, hasOutdated: rows.some((row) => row.hasOutdated) };
}

/** Whether the documents that meet a condition can be read from the index: not those that lack a term. */
function isReadable({ ranges }: Condition): boolean {
  return !ranges.some(({ isAbsent }) => isAbsent);
}

function chosen(sizes: Sized[]): Pick<Plan, 'driver' | 'scanned' | 'checked'> {
  const [driver, ...others] = sizes.filter(({ condition }) => isReadable(condition)).toSorted(byRarity) as [
    Sized,
    ...Sized[],
  ];
  const unreadable = sizes.filter(({ condition }) => !isReadable(condition)).map(({ condition }) => condition);
  const { scanned, checked } = waysOf(driver, others, sizeMax);
  return { driver, scanned, checked: [...checked, ...unreadable] };
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
function waysOf(driver: Sized, others: Sized[], bound: number): Pick<Plan, 'scanned' | 'checked'> {
  const isScanned = ({ size }: Sized) => size < Math.min(bound, scanRatioMax * driver.size);
  const conditions = (sized: Sized[]) => sized.map(({ condition }) => condition);
  return {
    scanned: conditions(others.filter(isScanned)),
    checked: conditions(others.filter((other) => !isScanned(other))),
  };
}
