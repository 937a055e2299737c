import { type Fragment, fragment } from '@tandem/tenant-db';
import type { Condition, TermRange } from '../conditions.ts';
import { type Match, parametersOf } from './parameters.ts';

/** Sends a statement, or only builds it, as a test does that asks PostgreSQL for its plan. */
export type SqlTag<Result> = (strings: TemplateStringsArray, ...values: unknown[]) => Result;

// A function that is not leakproof cannot be an index condition under row-level security. Comparisons of text and numbers
// are leakproof; LIKE, @@ and && are not. So a prefix is a range of terms, and every term is a row of a B-tree.
//
// All values are in one JSON parameter. With several parameters PostgreSQL may expect that plans for their values are
// cheaper than the generic plan, and then it plans every search anew, which takes longer than most searches.
//
// OFFSET 0 keeps PostgreSQL from turning a look-up into a join: it cannot know how many rows a JSON value has, and a wrong
// guess makes joins of two lists quadratic.

/** How many postings a condition has, counted up to a bound. */
export interface Size {
  /** Position of the condition in the list that was passed. */
  n: number;
  size: number;
  /** Difference between the ids of the newest and the oldest counted document: of two full counts, the rarer has more. */
  span: number;
  /** Whether documents of the tenant lack the terms for filters; the same in every row. */
  hasOutdated: boolean;
}

/** Counts the postings of each condition, up to `sizeMax`. The result has rows of `Size`. */
export function sizesStatement<Result>(
  sql: SqlTag<Result>,
  { index, conditions, sizeMax }: { index: string; conditions: Condition[]; sizeMax: number },
): Result {
  const given = JSON.stringify({ index, sizeMax, conditions: conditions.map(({ ranges }, n) => ({ n, ranges })) });
  return sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_record(${given}::jsonb) AS row (index text, "sizeMax" int, conditions jsonb))
    SELECT condition.n, counted.size, counted.span, ${hasOutdated} AS "hasOutdated"
    FROM given CROSS JOIN LATERAL jsonb_to_recordset(conditions) AS condition (n int, ranges jsonb)
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS size, coalesce(max(doc_id) - min(doc_id), 0) AS span FROM (
          SELECT doc_id FROM jsonb_to_recordset(condition.ranges) AS range (low text, high text)
            CROSS JOIN LATERAL (${inRange} LIMIT (SELECT "sizeMax" FROM given)) AS posting
          LIMIT (SELECT "sizeMax" FROM given)) AS bounded) AS counted`;
}

/** Number of postings read, and of documents among them. */
export interface Count {
  read: number;
  documents: number;
}

/** Counts the documents that have a term in one of the ranges, from at most `readMax` postings. The result is a row of `Count`. */
export function countStatement<Result>(
  sql: SqlTag<Result>,
  counted: { index: string; ranges: readonly TermRange[]; readMax: number },
): Result {
  return sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_record(${JSON.stringify(counted)}::jsonb) AS row (index text, ranges jsonb, "readMax" int))
    SELECT count(*)::int AS read, count(DISTINCT doc_id)::int AS documents FROM (
      SELECT doc_id FROM given CROSS JOIN LATERAL jsonb_to_recordset(ranges) AS range (low text, high text)
        CROSS JOIN LATERAL (${inRange} LIMIT (SELECT "readMax" FROM given)) AS posting
      LIMIT (SELECT "readMax" FROM given)) AS posting`;
}

/** The postings of a `range`, in the order of the index: of one term the best field first, then the newest document. */
const inRange = fragment`
  SELECT doc_id, weight FROM posting
  WHERE posting.type = given.index AND posting.term >= range.low AND posting.term < range.high
  ORDER BY posting.term, posting.weight DESC, posting.doc_id DESC`;

/** Whether the tenant has documents of an earlier form of the index. */
const hasOutdated = fragment`EXISTS (
  SELECT FROM document
  WHERE CASE WHEN removed_at IS NULL AND left(words, 3) IS DISTINCT FROM 'v6:' THEN 1 END = 1)`;

/** A document of the page; or, when the page is empty, one row whose key is null. */
export interface MatchRow {
  /** How many documents match, of those that were read. */
  matched: number;
  /** How many postings of the driver were read when the reading stopped at `matchMax`; null when it did not. */
  stoppedAt: number | null;
  /** Whether reading ended at `readMax` or `lookUpMax`, so that there may be more matches. */
  isCut: boolean;
  key: number | null;
  isWhole: boolean;
  points: number;
  /** The keys of all matches that were read, in the first row, if they were wanted. */
  keys: number[] | null;
}

/** Finds the documents that meet all conditions, and returns one page of `MatchRow`, best first. */
export function matchStatement<Result>(sql: SqlTag<Result>, match: Match): Result {
  return sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_record(${parametersOf(match)}::jsonb) AS row (${matchColumns})),
    ${matchedDocuments},
    -- Those that are left out are counted: the blocks are the same for all pages.
    sized AS MATERIALIZED (
      SELECT CASE WHEN (SELECT count(*) FROM matched) + coalesce(cardinality(excluded), 0) < "scoredMax"
        THEN "scoredMax" ELSE "blockSize" END AS "blockSize" FROM given),
    ranked AS MATERIALIZED (
      SELECT doc_id, is_whole,
        (row_number() OVER (ORDER BY is_whole DESC, place, doc_id DESC) - 1) / (SELECT "blockSize" FROM sized) AS block
      FROM matched),
    hit AS MATERIALIZED (${scoredPage})
    ${pageOfMatches}`;
}

/**
 * The postings of the driver; `place` is their order. PostgreSQL reads only as many as are asked for, those of another weight
 * than a range has included.
 */
const drivenDocuments = fragment`
  SELECT doc_id, row_number() OVER () AS place FROM (
    SELECT doc_id FROM given CROSS JOIN LATERAL jsonb_to_recordset(driver) AS range (low text, high text, weight int)
      CROSS JOIN LATERAL (${inRange} LIMIT (SELECT "readMax" FROM given)) AS driving
    WHERE range.weight IS NULL OR driving.weight = range.weight
    LIMIT (SELECT "readMax" FROM given)) AS posting`;

/**
 * Whether a candidate meets every condition in a list of ranges: it has a term of one of the ranges, or none of a range that
 * `is_absent`. It ends at the first condition that is not met. The ORDER BY leaves the primary key as the only index that
 * fits, even when PostgreSQL has no statistics of the table.
 */
export const meets = (list: Fragment) => fragment`NOT EXISTS (
  SELECT FROM (SELECT n FROM ${list} WHERE is_first) AS condition WHERE NOT EXISTS (
    SELECT FROM ${list} AS range WHERE range.n = condition.n AND range.is_absent <> CASE WHEN range.terms IS NULL
      THEN EXISTS (
        SELECT FROM posting WHERE doc_id = candidate.doc_id AND posting.term >= range.low AND posting.term < range.high
        ORDER BY posting.term OFFSET 0)
      ELSE EXISTS (
        SELECT FROM posting WHERE doc_id = candidate.doc_id AND posting.term = ANY(range.terms)
        ORDER BY posting.term OFFSET 0)
      END OFFSET 0) OFFSET 0)`;

/**
 * The candidates that meet the scanned conditions. Postings of candidates are collected and grouped by document, which takes
 * time in proportion to their number whatever PostgreSQL expects. IS TRUE makes it look them up in a hash table of candidates.
 */
const scannedCandidates = fragment`
  SELECT doc_id, min(place) AS place FROM (
    SELECT doc_id, place, 0 AS n FROM driven
    UNION ALL
    SELECT posting.doc_id, NULL, range.n
    FROM given CROSS JOIN LATERAL jsonb_to_recordset(scanned) AS range (n int, low text, high text)
      CROSS JOIN LATERAL (${inRange}) AS posting
    WHERE (posting.doc_id IN (SELECT doc_id FROM driven)) IS TRUE) AS posted
  GROUP BY doc_id HAVING bit_or(1 << n) = (SELECT "scannedBits" FROM given)
  ORDER BY place LIMIT (SELECT "lookUpMax" FROM given)`;

/** Candidates one after the other, each looked up for the conditions that are not scanned, until there are enough matches. */
const foundCandidates = fragment`
  SELECT doc_id, place FROM (
    SELECT doc_id, place FROM driven WHERE (SELECT "scannedBits" FROM given) = 1
    UNION ALL
    SELECT doc_id, place FROM narrowed WHERE (SELECT "scannedBits" FROM given) > 1 OFFSET 0) AS candidate
  WHERE ${meets(fragment`checked`)}
  LIMIT (SELECT "matchMax" FROM given)`;

/** The newest documents that the whole question equals and that pass the filters, however many newer ones do not. */
const wholeDocuments = fragment`
  SELECT doc_id FROM (
    SELECT doc_id FROM given CROSS JOIN LATERAL jsonb_to_recordset(wholes) AS range (low text, high text)
      CROSS JOIN LATERAL (${inRange} LIMIT (SELECT "lookUpMax" FROM given)) AS posting OFFSET 0) AS candidate
  WHERE ${meets(fragment`filtering`)}
  LIMIT (SELECT "wholeMax" FROM given)`;

export const matchColumns = fragment`index text, driver jsonb, scanned jsonb, checks jsonb, filters jsonb, words jsonb, wholes jsonb,
  excluded bigint[], "wantsKeys" boolean, "scannedBits" int, "readMax" int, "matchMax" int, "lookUpMax" int, "wholeMax" int, "blockSize" int, "scoredMax" int,
  "limit" int, "offset" int`;

/** The conditions of a match as lists of ranges, by the parameters in `given`. */
export const conditionLists = fragment`checked AS MATERIALIZED (
    SELECT range.* FROM given
      CROSS JOIN LATERAL jsonb_to_recordset(checks) AS range (n int, is_first boolean, is_absent boolean, terms text[], low text, high text)),
  filtering AS MATERIALIZED (
    SELECT range.* FROM given
      CROSS JOIN LATERAL jsonb_to_recordset(filters) AS range (n int, is_first boolean, is_absent boolean, terms text[], low text, high text))`;

/** The common table expressions up to `matched`: the documents that match, by the parameters in `given`. */
export const matchedDocuments = fragment`${conditionLists},
  word AS MATERIALIZED (
    SELECT range.* FROM given CROSS JOIN LATERAL jsonb_to_recordset(words) AS range (n int, low text, high text, points float)),
  driven AS MATERIALIZED (${drivenDocuments}),
  narrowed AS MATERIALIZED (${scannedCandidates}),
  found AS MATERIALIZED (${foundCandidates}),
  whole AS MATERIALIZED (${wholeDocuments}),
  matched AS MATERIALIZED (
    SELECT doc_id, min(place) AS place, bool_or(is_whole) AS is_whole
    FROM (SELECT doc_id, place, false AS is_whole FROM found UNION ALL SELECT doc_id, 0, true FROM whole) AS either
    WHERE doc_id <> ALL(coalesce((SELECT excluded FROM given), '{}')) GROUP BY doc_id)`;

/** The blocks of the page with the points of each document: of each word those of its best match. */
const scoredPage = fragment`
  SELECT doc_id, is_whole, block, coalesce((
      SELECT sum(points) FROM (
        SELECT max(posting.weight * word.points) AS points
        FROM word CROSS JOIN LATERAL (SELECT weight FROM posting
          WHERE doc_id = ranked.doc_id AND posting.term >= word.low AND posting.term < word.high
          ORDER BY posting.term OFFSET 0) AS posting
        GROUP BY word.n) AS best), 0) AS points
  FROM ranked CROSS JOIN given CROSS JOIN sized
  WHERE block BETWEEN "offset" / sized."blockSize" AND ("offset" + "limit" - 1) / sized."blockSize"
  ORDER BY block, is_whole DESC, points DESC, doc_id DESC
  LIMIT (SELECT "limit" FROM given) OFFSET (SELECT "offset" % sized."blockSize" FROM given CROSS JOIN sized)`;

/** Whether reading ended at `readMax` or `lookUpMax`. */
const readingEnded = fragment`((SELECT count(*) FROM driven) >= (SELECT "readMax" FROM given) OR (
      (SELECT "scannedBits" FROM given) > 1 AND (SELECT count(*) FROM narrowed) >= (SELECT "lookUpMax" FROM given)))`;

/** Whether there may be more matches than were read, for any reason. */
export const endedEarly = fragment`(${readingEnded} OR (SELECT count(*) FROM found) >= (SELECT "matchMax" FROM given))`;

/** The keys of one page. */
const pageOfMatches = fragment`
  SELECT (SELECT count(*)::int FROM matched) AS matched,
    CASE WHEN ended.stopped THEN (SELECT max(place)::int FROM found) END AS "stoppedAt",
    NOT ended.stopped AND ${readingEnded} AS "isCut",
    hit.doc_id AS key, hit.points, hit.is_whole AS "isWhole",
    CASE WHEN (SELECT "wantsKeys" FROM given) AND hit.doc_id IS NOT DISTINCT FROM first.doc_id
      THEN (SELECT jsonb_agg(doc_id) FROM matched) END AS keys
  FROM (SELECT (SELECT count(*) FROM found) >= (SELECT "matchMax" FROM given) AS stopped) AS ended
    LEFT JOIN hit ON true
    LEFT JOIN (SELECT doc_id FROM hit ORDER BY block, is_whole DESC, points DESC, doc_id DESC LIMIT 1) AS first ON true
  ORDER BY hit.block, hit.is_whole DESC, hit.points DESC, hit.doc_id DESC`;
