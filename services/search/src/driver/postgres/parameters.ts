import { type Condition, justAfter, type TermRange } from '../conditions.ts';

/** One search: which documents are read from the index, and what is checked for each. */
export interface Match {
  index: string;
  words: Condition[];
  filters: Condition[];
  /** The condition whose documents are the candidates, in the order of its postings. */
  driver: Condition;
  /** Other conditions, of which all postings are read and intersected with those of the driver. */
  scanned: Condition[];
  /** The rest of the conditions, which are looked up for each candidate: the rarest first. */
  checked: Condition[];
  /** The terms of the question as a whole; their documents match without the words, and come first. */
  wholes: TermRange[];
  /** Documents that are left out, by their keys. */
  excluded: number[];
  /** Whether the keys of all matches are wanted. */
  wantsKeys: boolean;
  /** How many postings of the driver are read at most. */
  readMax: number;
  /** Candidates are checked until so many match. */
  matchMax: number;
  /** How many candidates that meet the scanned conditions are looked up at most. */
  lookUpMax: number;
  /** How many documents that the whole question equals are read. */
  wholeMax: number;
  /** Matches are ranked in blocks of so many, in the order of candidates: only the blocks of the page are scored. */
  blockSize: number;
  /** Fewer matches are one block. */
  scoredMax: number;
  limit: number;
  offset: number;
}

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
    scoredMax,
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
    scoredMax,
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
