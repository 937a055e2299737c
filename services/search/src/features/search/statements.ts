import { fragment } from '@tandem/tenant-db';
import type { DocumentType } from '../documents/document.ts';
import type { Condition, TermRange } from './conditions.ts';
import { type Filter, filterColumns, passesFilter } from './filter.ts';

/** Sends a statement, or only builds it, as a test does that asks PostgreSQL for its plan. */
export type SqlTag<Result> = (strings: TemplateStringsArray, ...values: unknown[]) => Result;

// A function that is not leakproof cannot be an index condition under row-level security. Comparisons of text and numbers
// are leakproof; LIKE, @@ and && are not. So a prefix is a range of terms, and every term is a row of a B-tree.
//
// All values are in one JSON parameter. With several parameters PostgreSQL may expect that plans for their values are
// cheaper than the generic plan, and then it plans every search anew, which takes longer than most searches.

const rangeColumns = fragment`low text, high text, weight smallint, points int`;

/** The documents with a term of the `range`, in the order of the index: of one term the newest document first. */
const inRange = fragment`
  SELECT doc_id FROM posting
  WHERE posting.type = given.type AND posting.weight = range.weight AND posting.term >= range.low AND posting.term < range.high
  ORDER BY posting.term, posting.doc_id DESC`;

/** Whether the tenant has documents of an earlier form of the index. */
const hasOutdated = fragment`EXISTS (
  SELECT FROM document
  WHERE CASE WHEN removed_at IS NULL AND left(words, 3) IS DISTINCT FROM 'v2:' THEN 1 END = 1)`;

/** How many postings a condition has, counted up to a bound. */
export interface Size {
  /** Position of the condition in the list that was passed. */
  n: number;
  size: number;
  /** Whether documents of the tenant lack the terms for facets; the same in every row. */
  hasOutdated: boolean;
}

/** Counts the postings of each condition, up to `sizeMax`. The result has rows of `Size`. */
export function sizesStatement<Result>(
  sql: SqlTag<Result>,
  { type, conditions, sizeMax }: { type: DocumentType; conditions: Condition[]; sizeMax: number },
): Result {
  const given = JSON.stringify({ type, sizeMax, conditions: conditions.map(({ ranges }, n) => ({ n, ranges })) });
  return sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_record(${given}::jsonb) AS row (type text, "sizeMax" int, conditions jsonb))
    SELECT condition.n, counted.size, ${hasOutdated} AS "hasOutdated"
    FROM given
      CROSS JOIN LATERAL jsonb_to_recordset(conditions) AS condition (n int, ranges jsonb)
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS size FROM (
          SELECT FROM jsonb_to_recordset(condition.ranges) AS range (${rangeColumns})
            CROSS JOIN LATERAL (${inRange} LIMIT (SELECT "sizeMax" FROM given)) AS posting
          LIMIT (SELECT "sizeMax" FROM given)) AS bounded) AS counted`;
}

/** One search: which documents are read from the index, and what is checked for each. */
export interface Match {
  type: DocumentType;
  /** The condition whose documents are read: the candidates. */
  driver: Condition;
  /** The conditions that candidates are checked for. */
  checks: Condition[];
  /** The terms of the question as a whole; their documents are candidates too and come first. */
  wholes: TermRange[];
  /** What rows of documents are checked for, where the index does not have the terms for it. */
  filter: Filter;
  isFiltered: boolean;
  /** How many postings of the driver are read. */
  read: number;
  /** How many documents that the whole question equals are read. */
  window: number;
  /**
   * Matches are ranked in blocks of so many, in the order in which candidates are read. So a page is the same however many
   * candidates are read, and every match is on one page.
   */
  blockSize: number;
  limit: number;
  offset: number;
  /** The points of a document that the whole question equals. */
  most: number;
}

/** A document of the page; or, when the page is empty, one row whose id is null. */
export interface MatchRow {
  /** How many of the candidates match. */
  matched: number;
  /** Whether the driver has no more postings than were read. */
  isExhausted: boolean;
  id: number | null;
  isWhole: boolean;
  points: number;
  type: DocumentType;
  documentId: string;
  document: string;
}

/** Every candidate once, with its most points and its first place in the order of reading. */
const candidates = fragment`
  SELECT doc_id, max(points) AS points, bool_or(is_whole) AS is_whole, min(place) AS place
  FROM (SELECT doc_id, points, false AS is_whole, place FROM driven UNION ALL SELECT doc_id, points, true, 0 FROM whole) AS found
  GROUP BY doc_id`;

/**
 * The terms that exist in each range of a check, at most 17 in each: the index is searched once per term, whatever the number
 * of documents.
 */
const existingTerms = fragment`
  SELECT range.n, range.k, range.low, range.high, range.weight, range.points, first.term, 1 AS step
  FROM given CROSS JOIN LATERAL jsonb_to_recordset(checks)
      AS range (n int, k int, low text, high text, weight smallint, points int)
    CROSS JOIN LATERAL (SELECT posting.term FROM posting
      WHERE posting.type = given.type AND posting.weight = range.weight
        AND posting.term >= range.low AND posting.term < range.high
      ORDER BY posting.term LIMIT 1) AS first
  UNION ALL
  SELECT n, k, low, high, weight, points, next.term, step + 1
  FROM given CROSS JOIN existing CROSS JOIN LATERAL (SELECT posting.term FROM posting
      WHERE posting.type = given.type AND posting.weight = existing.weight
        AND posting.term > existing.term AND posting.term < existing.high
      ORDER BY posting.term LIMIT 1) AS next
  WHERE step < 17`;

/**
 * Which candidates have a term of which check. The list of candidates is one condition of the index, which skips from one to
 * the next. A range with few terms is read term by term, without rows of postings; one with many by the terms of each candidate.
 */
const checkedTerms = fragment`
  SELECT existing.n, posting.doc_id, existing.points
  FROM given CROSS JOIN existing CROSS JOIN LATERAL (SELECT doc_id FROM posting
    WHERE posting.type = given.type AND posting.weight = existing.weight AND posting.term = existing.term
      AND doc_id = ANY(ARRAY(SELECT doc_id FROM candidate ORDER BY doc_id))
    OFFSET 0) AS posting
  WHERE existing.k NOT IN (SELECT k FROM existing WHERE step = 17)
  UNION ALL
  SELECT wide.n, posting.doc_id, wide.points
  FROM existing AS wide CROSS JOIN LATERAL (SELECT doc_id FROM posting
    WHERE doc_id = ANY(ARRAY(SELECT doc_id FROM candidate ORDER BY doc_id))
      AND posting.term >= wide.low AND posting.term < wide.high AND posting.weight = wide.weight
    OFFSET 0) AS posting
  WHERE wide.step = 17`;

/** The candidates that meet every check; the checks for facets come first. */
const meetingChecks = fragment`
  SELECT candidate.doc_id, candidate.is_whole, candidate.place,
    CASE WHEN candidate.is_whole THEN given.most ELSE candidate.points + coalesce(met.points, 0) END AS points
  FROM given CROSS JOIN candidate LEFT JOIN (
    SELECT doc_id, sum(points)::int AS points, count(*) AS checks, count(*) FILTER (WHERE is_facet) AS facets
    FROM (SELECT n, doc_id, n < given."facetCount" AS is_facet, max(points) AS points
      FROM given CROSS JOIN checked GROUP BY 1, 2, 3) AS best
    GROUP BY doc_id) AS met ON met.doc_id = candidate.doc_id
  WHERE coalesce(met.facets, 0) = given."facetCount"
    AND (candidate.is_whole OR coalesce(met.checks, 0) = given."checkCount")`;

/** The documents of one page. As text, because the service parses them one by one. */
const pageOfMatches = fragment`
  SELECT (SELECT count(*)::int FROM matched) AS matched,
    (SELECT count(*) FROM driven) < (SELECT read FROM given) AS "isExhausted", document.id, hit.points,
    hit.is_whole AS "isWhole", document.type, document.document_id AS "documentId", document.document::text AS document
  FROM (SELECT 1) AS one LEFT JOIN (hit JOIN document ON document.id = hit.doc_id) ON true
  ORDER BY hit.block, hit.is_whole DESC, hit.points DESC, hit.doc_id DESC`;

/** Reads candidates, keeps those that meet every check and the filter, and returns one page of `MatchRow`, best first. */
export function matchStatement<Result>(sql: SqlTag<Result>, match: Match): Result {
  const { driver, checks, wholes, filter, ...rest } = match;
  const ordered = checks.toSorted((a, b) => Number(b.isFacet) - Number(a.isFacet));
  const ranges = ordered.flatMap((check, n) => check.ranges.map((range) => ({ ...range, n })));
  const given = JSON.stringify({
    ...rest,
    ...filter,
    ranges: driver.ranges,
    wholes,
    checks: ranges.map((range, k) => ({ ...range, k })),
    checkCount: checks.length,
    facetCount: checks.filter(({ isFacet }) => isFacet).length,
  });
  return sql`
    WITH RECURSIVE given AS MATERIALIZED (
      SELECT * FROM jsonb_to_record(${given}::jsonb) AS row (type text, ranges jsonb, wholes jsonb, checks jsonb,
        "checkCount" int, "facetCount" int, "isFiltered" boolean, read int, "window" int, "blockSize" int, "limit" int, "offset" int, most int,
        ${filterColumns})),
    driven AS MATERIALIZED (
      SELECT doc_id, points, row_number() OVER () AS place FROM (
        SELECT doc_id, points FROM given CROSS JOIN LATERAL jsonb_to_recordset(ranges) AS range (${rangeColumns})
          CROSS JOIN LATERAL (${inRange} LIMIT (SELECT read FROM given)) AS posting
        LIMIT (SELECT read FROM given)) AS posting),
    whole AS MATERIALIZED (
      SELECT doc_id, points FROM given CROSS JOIN LATERAL jsonb_to_recordset(wholes) AS range (${rangeColumns})
        CROSS JOIN LATERAL (${inRange} LIMIT (SELECT "window" FROM given)) AS posting),
    candidate AS MATERIALIZED (${candidates}),
    existing AS (${existingTerms}),
    checked AS MATERIALIZED (${checkedTerms}),
    meeting AS MATERIALIZED (${meetingChecks}),
    fitting AS MATERIALIZED (
      SELECT document.id FROM given CROSS JOIN meeting CROSS JOIN LATERAL (SELECT id FROM document
        WHERE given."isFiltered" AND id = meeting.doc_id AND ${passesFilter}
        -- Keeps the condition on "isFiltered" in front: without a filter no row of a document is read.
        OFFSET 0) AS document),
    matched AS MATERIALIZED (
      SELECT meeting.* FROM given CROSS JOIN meeting
      WHERE NOT "isFiltered" OR doc_id IN (SELECT id FROM fitting)),
    ranked AS MATERIALIZED (
      SELECT doc_id, is_whole, points,
        (row_number() OVER (ORDER BY is_whole DESC, place) - 1) / (SELECT "blockSize" FROM given) AS block
      FROM matched),
    hit AS MATERIALIZED (
      SELECT * FROM ranked ORDER BY block, is_whole DESC, points DESC, doc_id DESC
      LIMIT (SELECT "limit" FROM given) OFFSET (SELECT "offset" FROM given))
    ${pageOfMatches}`;
}
