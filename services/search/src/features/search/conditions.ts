import { facetTerm } from '../../terms.ts';
import type { Wanted } from './question.ts';

/** The terms from `low` up to, but not including, `high`, in fields of one weight; a document with one gets `points`. */
export interface TermRange {
  low: string;
  high: string;
  weight: number;
  points: number;
}

/** One of the conditions that a document must meet: it has a term of one of the ranges. */
export interface Condition {
  /** Those with most points first: in this order they are read. */
  ranges: TermRange[];
  /**
   * Whether it is a filter and not a word. Words need not match where the question as a whole does. Filters must, because
   * they decide what a caller may find.
   */
  isFacet: boolean;
}

// Weights of fields: names and addresses 4, companies 2, the rest 1. Terms that are no words have the weight 0.
const weights = [4, 2, 1];
// Points for each weight. A misspelling in a name has fewer than any beginning of a word.
const points = { same: 10, beginning: 5, misspelt: 1 };
/** The points of a word that is in a field of the highest weight. */
export const pointsMax = 4 * points.same;

/** A word, the words that begin with it, and the words that it may be a misspelling of. */
export function wordCondition({ low, high, alike }: Wanted): Condition {
  const ranges = weights.flatMap((weight) => [
    { low, high: justAfter(low), weight, points: weight * points.same },
    { low: justAfter(low), high, weight, points: weight * points.beginning },
    ...alike.map((term) => ({ low: term, high: justAfter(term), weight, points: weight * points.misspelt })),
  ]);
  return { ranges: ranges.sort((a, b) => b.points - a.points), isFacet: false };
}

/** A filter by equality: a document has one of these terms. */
export function facetCondition(terms: string[]): Condition {
  return { ranges: rangesOfTerms(terms, 0), isFacet: true };
}

/** A filter by numbers or times: a document has a term of the field within these bounds, both of them included. */
export function rangeCondition(field: string, { from, to }: { from?: string; to?: string }): Condition {
  const start = facetTerm(field, '');
  const low = from ?? start;
  const high = to === undefined ? `${start}\u{10FFFF}` : justAfter(to);
  return { ranges: [{ low, high, weight: 0, points: 0 }], isFacet: true };
}

/** A range for each of these terms, which are no words. */
export function rangesOfTerms(terms: string[], termPoints: number): TermRange[] {
  return terms.map((term) => ({ low: term, high: justAfter(term), weight: 0, points: termPoints }));
}

/** The first text after `term` in the order of bytes: PostgreSQL stores no character before U+0001. */
function justAfter(term: string): string {
  return `${term}\u0001`;
}
