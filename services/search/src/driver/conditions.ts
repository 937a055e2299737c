import { facetTerm } from '../terms.ts';
import type { Wanted } from './question.ts';

/** The terms from `low` up to, but not including, `high`. A document with one gets `points` times the weight of the field. */
export interface TermRange {
  low: string;
  high: string;
  points: number;
  /** Of the driver, only terms in a field of this weight are read. */
  weight?: number;
  /** Whether the condition is met by documents without a term in this range. */
  isAbsent?: boolean;
}

/** One of the conditions that a document must meet: it has a term of one of the ranges. */
export interface Condition {
  /** Read in this order. */
  ranges: TermRange[];
  /**
   * Whether it is a filter and not a word. Words need not match where the question as a whole does. Filters must, because
   * they decide what a caller may find.
   */
  isFilter: boolean;
  /** Whether it is an interval of numbers or times. Its documents are read in the order of those, which is slow to look up. */
  isInterval?: boolean;
}

// Names and addresses have the weight 4, companies 2, other fields 1. A misspelling in a name has fewer points than any
// beginning of a word.
const points = { same: 10, beginning: 5, misspelt: 1 };
/** The points of a word that is in a field of the highest weight. */
export const pointsMax = 4 * points.same;

/**
 * A word, the words that begin with it, and the words that it may be a misspelling of.
 * @param factor how much a match counts: the rarer the word, the more
 */
export function wordCondition({ low, high, alike, alikeBeginnings }: Wanted, factor = 1): Condition {
  const misspelt = [
    ...alike.map((term) => ({ low: term, high: justAfter(term) })),
    ...alikeBeginnings.map(beginningWith),
  ].map((range) => ({ ...range, points: factor * points.misspelt }));
  const same = { low, high: justAfter(low), points: factor * points.same };
  const longer = { low: justAfter(low), high, points: factor * points.beginning };
  return { ranges: [same, longer, ...misspelt], isFilter: false };
}

/**
 * The terms of a field that results are filtered by, within these bounds; all of them without bounds.
 * @param bounds.isOne only `from` itself
 * @param bounds.isOpen without the bound itself
 */
export function facetRange(
  field: string,
  bounds: { from?: string; to?: string; isOne?: boolean; isOpen?: boolean },
): TermRange {
  const { from, to, isOne = false, isOpen = false } = bounds;
  const start = facetTerm(field, '');
  const low = from === undefined ? start : isOpen ? justAfter(from) : from;
  const end = isOne ? from : to;
  const high = end === undefined ? `${start}\u{10FFFF}` : isOpen ? end : justAfter(end);
  return { low, high, points: 0 };
}

/** A range for each of these terms, which are no words. */
export function rangesOfTerms(terms: string[]): TermRange[] {
  return terms.map((term) => ({ low: term, high: justAfter(term), points: 0 }));
}

/** The terms that begin with a text. */
export function beginningWith(text: string): Pick<TermRange, 'low' | 'high'> {
  return { low: text, high: `${text}\u{10FFFF}` };
}

/** The first text after `term` in the order of bytes: PostgreSQL stores no character before U+0001. */
export function justAfter(term: string): string {
  return `${term}\u0001`;
}
