import { type Condition, justAfter, type TermRange } from './conditions.ts';
import type { Match } from './statements.ts';

/** The parameters of a match, as JSON. */
export function parametersOf(match: Match, others: object = {}): string {
  const {
    index,
    words,
    filters,
    driver,
    scanned,
    checked,
    wholes,
    excluded,
    wantsKeys,
    readMax,
    matchMax,
    lookUpMax,
    wholeMax,
    blockSize,
  } = match;
  return JSON.stringify({
    ...others,
    index,
    excluded,
    wantsKeys,
    driver: driver.ranges,
    scanned: scanned.flatMap(({ ranges }, index) => ranges.map((range) => ({ ...range, n: 1 + index }))),
    scannedBits: 2 ** (1 + scanned.length) - 1,
    checks: checks(checked),
    filters: checks(filters),
    words: words.flatMap(({ ranges }, n) => ranges.map((range) => ({ ...range, n }))),
    wholes,
    readMax,
    matchMax,
    lookUpMax,
    wholeMax,
    blockSize,
    limit: match.limit,
    offset: match.offset,
  });
}

/** Conditions as rows of look-ups: single terms of one condition are looked up together. */
function checks(conditions: Condition[]): object[] {
  return conditions.flatMap(({ ranges }, n) => {
    const [single, others] = [ranges.filter(isSingle), ranges.filter((range) => !isSingle(range))];
    const together = single.length > 1 ? [{ terms: single.map(({ low }) => low) }] : single;
    return [...together, ...others].map((row, k) => ({
      ...row,
      n,
      is_first: k === 0,
      is_absent: 'isAbsent' in row && row.isAbsent === true,
    }));
  });
}

function isSingle({ low, high, isAbsent }: TermRange): boolean {
  return !isAbsent && high === justAfter(low);
}
