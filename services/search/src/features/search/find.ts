import type { Tx } from '../../handler.ts';
import type { DocumentType } from '../documents/document.ts';
import { type Condition, pointsMax, rangesOfTerms, wordCondition } from './conditions.ts';
import { type Filter, filterConditions } from './filter.ts';
import { type Question, readQuestion } from './question.ts';
import { type Match, type MatchRow, matchStatement, type Size, sizesStatement } from './statements.ts';

export interface Hit {
  type: DocumentType;
  documentId: string;
  /** As JSON: a page may have 6 MB of documents, which are parsed one by one. */
  document: string;
  score: number;
}

export interface Found {
  hits: Hit[];
  total: number;
  /** Whether there may be more documents than `total`. */
  isEstimate: boolean;
  /** Whether documents lack the terms for filters, so that rows of documents were read instead. */
  hasOutdated: boolean;
}

export interface Options {
  type: DocumentType;
  filter: Filter;
  limit: number;
  offset: number;
  /** Whether it is for suggestions: nobody counts them, and they are the best of a few hundred matches. */
  isSuggesting?: boolean;
}

/** How many matches can be paged through and counted. */
export const searchWindow = 10_000;

const blockSize = 200;
// A condition with fewer postings is rare. The size of a common one is not counted further.
const rareMax = 10_000;
// Postings of the first part that is read. Candidates that are not checked cost little, so that all that count are read.
const firstPart = { unchecked: 10_500, checked: 2_000, suggesting: 600 };
// How much longer the next part is.
const growth = { min: 2, max: 10 };
// When all conditions are common, a first part of so many is read; the one with most matches is read on.
const driversMax = 3;
// A driver of which so many candidates match is read on without trying others.
const productiveShare = 0.05;
const nothing = { hits: [], total: 0, isEstimate: false };

/** What a question finds, and how it was read. */
export async function findFor(
  tx: Tx,
  asked: { q: string; typo: 'auto' | 'off' },
  options: Options,
): Promise<Found & { question: Question }> {
  const question = await readQuestion(tx, options.type, asked);
  const found = await find(tx, question, options);
  if (found.total || !question.isPhone) return { question, ...found };
  // A date looks like a phone number too, and so does the number of an order.
  const inWords = await readQuestion(tx, options.type, { ...asked, isNoPhone: true });
  return { question: inWords, ...(await find(tx, inWords, options)) };
}

/**
 * The documents that meet all conditions, best first. The condition with the fewest postings is the driver, which names the
 * candidates; the others are checked for each candidate. How many documents the tenant has does not matter for that.
 */
async function find(tx: Tx, question: Question, options: Options): Promise<Found> {
  const words = question.words.map(wordCondition);
  const filters = filterConditions(options.filter);
  if (!words.length) return { ...nothing, hasOutdated: false };
  const plan = { question, options, words, filters, hasOutdated: false };
  if (words.length + filters.length === 1) return findWith(tx, plan, words);
  const { sizes, hasOutdated } = await sizesOf(tx, options.type, [...words, ...filters]);
  // Documents without terms for filters are filtered by their rows.
  // The sort is stable: of conditions that are all common, filters are tried before words.
  const usable = hasOutdated ? words : [...filters, ...words];
  const size = (condition: Condition) => sizes.get(condition) ?? 0;
  const bySize = usable.toSorted((a, b) => size(a) - size(b));
  const rarest = size(bySize[0] as Condition);
  if (rarest === 0) return { ...nothing, hasOutdated };
  const drivers = bySize.slice(0, rarest < rareMax ? 1 : driversMax);
  return findWith(tx, { ...plan, filters: hasOutdated ? [] : filters, hasOutdated }, drivers, rarest);
}

async function sizesOf(
  tx: Tx,
  type: DocumentType,
  conditions: Condition[],
): Promise<{ sizes: Map<Condition, number>; hasOutdated: boolean }> {
  const rows = await sizesStatement<Promise<Size[]>>(tx.sql, { type, conditions, sizeMax: rareMax });
  const sizes = new Map(rows.map(({ n, size }) => [conditions[n] as Condition, size]));
  return { sizes, hasOutdated: rows.some((row) => row.hasOutdated) };
}

interface Plan {
  question: Question;
  options: Options;
  words: Condition[];
  /** The filters that the index answers; none when rows of documents have to. */
  filters: Condition[];
  hasOutdated: boolean;
}

/**
 * Reads a first part of each driver until one is productive, and then more and more of the best one until it yields the page.
 * Which driver is read on does not depend on the page.
 * @param size how many postings the first driver has, if they were counted
 */
async function findWith(tx: Tx, plan: Plan, drivers: Condition[], size = rareMax): Promise<Found> {
  const { offset, limit, isSuggesting } = plan.options;
  const isChecked = plan.hasOutdated || plan.words.length + plan.filters.length > 1;
  const wholeBlocks = Math.ceil((offset + limit + 1) / blockSize) * blockSize;
  const wanted = isSuggesting ? limit : isChecked ? wholeBlocks : searchWindow + 1;
  let read = isSuggesting ? firstPart.suggesting : isChecked ? firstPart.checked : firstPart.unchecked;
  let best: { driver: Condition; part: Part } | undefined;
  for (const driver of drivers) {
    const part = await readPart(tx, plan, driver, read);
    if (!best || part.matched > best.part.matched || part.isExhausted) best = { driver, part };
    if (part.isExhausted || part.matched >= read * productiveShare) break;
  }
  let { driver, part } = best as { driver: Condition; part: Part };
  while (!part.isExhausted && part.matched < wanted) {
    const factor = (1.3 * wanted) / Math.max(1, part.matched);
    read = Math.ceil(read * Math.min(growth.max, Math.max(growth.min, factor)));
    part = await readPart(tx, plan, driver, read);
  }
  return { hits: part.hits, ...totalOf(part, { read, size, offset, limit }), hasOutdated: plan.hasOutdated };
}

interface Part {
  hits: Hit[];
  matched: number;
  isExhausted: boolean;
}

/** Matches among the first `read` postings of a driver. */
async function readPart(tx: Tx, plan: Plan, driver: Condition, read: number): Promise<Part> {
  const { question, options, words, filters, hasOutdated } = plan;
  const { type, limit, offset, filter } = options;
  const most = pointsMax * words.length;
  const match: Match = {
    type,
    driver,
    // Documents that the whole question equals do not come from the driver, so a filter is checked even if it is the driver.
    checks: [...words.filter((word) => word !== driver), ...filters],
    wholes: rangesOfTerms(question.wholes, most),
    filter: hasOutdated ? filter : {},
    isFiltered: hasOutdated,
    read,
    window: searchWindow,
    blockSize,
    limit: Math.max(0, Math.min(limit, searchWindow - offset)),
    offset,
    most,
  };
  const rows = await matchStatement<Promise<MatchRow[]>>(tx.sql, match);
  const { matched = 0, isExhausted = true } = rows[0] ?? {};
  return { hits: rows.flatMap((row) => (row.id === null ? [] : [asHit(row, most)])), matched, isExhausted };
}

/** The number of matches: exact if all candidates were read, otherwise estimated by the part of them that matches. */
function totalOf(
  { matched, isExhausted }: Part,
  { read, size, offset, limit }: { read: number; size: number; offset: number; limit: number },
): { total: number; isEstimate: boolean } {
  if (isExhausted) return { total: Math.min(matched, searchWindow), isEstimate: matched > searchWindow };
  const expected = Math.max(matched, offset + limit + 1, Math.round((matched / read) * size));
  return { total: Math.min(expected, searchWindow), isEstimate: true };
}

function asHit({ type, documentId, document, isWhole, points }: MatchRow, most: number): Hit {
  return { type, documentId, document, score: isWhole ? 1 : rounded(Math.min(points / most, 0.99)) };
}

function rounded(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
