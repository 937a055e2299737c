import { type Fragment, fragment } from '@tandem/tenant-db';
import type { TermRange } from '../conditions.ts';
import { type Match, parametersOf } from './parameters.ts';
import { conditionLists, endedEarly, matchColumns, matchedDocuments, meets, type SqlTag } from './statements.ts';

// Statements that read all matches of a search up to the window, where matchStatement reads a page of them.

export interface Order {
  /** The terms of the field. */
  range: TermRange;
  isDescending: boolean;
  /** Documents that are listed besides the matches. */
  others: number[];
}

/** A document of the page; or, when the page is empty, one row whose key is null. */
interface SortedRow {
  key: number | null;
  matched: number;
  /** Whether there may be more matches than were collected. */
  isCut: boolean;
  /** Whether that is because collecting ended at `matchMax`. */
  isStopped: boolean;
}

/** Sorts all matches by their term in a range, and returns one page of `SortedRow`. */
export function sortedStatement(sql: SqlTag<Promise<SortedRow[]>>, match: Match, order: Order): Promise<SortedRow[]> {
  return sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_record(${parametersOf(match, order)}::jsonb) AS row (${matchColumns}, ${orderColumns})),
    ${matchedDocuments},
    ${listed},
    hit AS MATERIALIZED (
      SELECT candidate.doc_id, row_number() OVER (ORDER BY CASE WHEN "isDescending" THEN found.term END DESC NULLS LAST,
        CASE WHEN NOT "isDescending" THEN found.term END NULLS LAST, CASE WHEN "isDescending" THEN doc_id ELSE -doc_id END) AS place
      FROM given CROSS JOIN listed AS candidate LEFT JOIN LATERAL (
        SELECT term FROM posting WHERE posting.doc_id = candidate.doc_id AND posting.term >= range->>'low' AND posting.term < range->>'high'
        ORDER BY posting.term LIMIT 1) AS found ON true
      ORDER BY place LIMIT (SELECT "limit" FROM given) OFFSET (SELECT "offset" FROM given))
    SELECT (SELECT count(*)::int FROM matched) AS matched, ${endedEarly} AS "isCut",
      (SELECT count(*) FROM found) >= (SELECT "matchMax" FROM given) AS "isStopped", hit.doc_id AS key
    FROM (SELECT 1) AS one LEFT JOIN hit ON true ORDER BY hit.place`;
}

/** Reads the terms of a range in their order, and returns the keys of the documents of one page that meet all conditions. */
export function orderedScanStatement(
  sql: SqlTag<Promise<{ key: number }[]>>,
  match: Match,
  order: Order,
): Promise<{ key: number }[]> {
  const { driver, scanned, checked } = match;
  const parameters = parametersOf({ ...match, scanned: [], checked: [driver, ...scanned, ...checked] }, order);
  // The order of an index read backwards: with another order of equal terms, all of them would be sorted.
  return order.isDescending
    ? sql`WITH ${givenOrder} (${parameters}::jsonb) ${givenColumns} ${scanInOrder(fragment`posting.term DESC, posting.weight, posting.doc_id`)}`
    : sql`WITH ${givenOrder} (${parameters}::jsonb) ${givenColumns} ${scanInOrder(fragment`posting.term, posting.weight DESC, posting.doc_id DESC`)}`;
}

const givenOrder = fragment`given AS MATERIALIZED (SELECT * FROM jsonb_to_record`;
const givenColumns = fragment`AS row (${matchColumns}, range jsonb, "isDescending" boolean, others bigint[])),
    ${conditionLists}`;

const scanInOrder = (order: Fragment) => fragment`
    SELECT doc_id AS key FROM (
      SELECT posting.doc_id FROM given CROSS JOIN LATERAL (
        SELECT doc_id FROM posting
        WHERE posting.type = given.index AND posting.term >= range->>'low' AND posting.term < range->>'high'
        ORDER BY ${order} LIMIT (SELECT "readMax" FROM given)) AS posting OFFSET 0) AS candidate
    WHERE ${meets(fragment`checked`)} OR (doc_id IN (SELECT unnest(others) FROM given)) IS TRUE
    LIMIT (SELECT "limit" FROM given) OFFSET (SELECT "offset" FROM given)`;

interface FacetRow {
  matched: number;
  isCut: boolean;
  field: string | null;
  term: string | null;
  count: number;
}

/** Counts the documents with each term of the ranges among all matches, the most frequent first. */
export function facetStatement(
  sql: SqlTag<Promise<FacetRow[]>>,
  match: Match,
  asked: { ranges: (TermRange & { field: string })[]; others: number[] },
): Promise<FacetRow[]> {
  return sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_record(${parametersOf(match, asked)}::jsonb) AS row (${matchColumns}, others bigint[], ranges jsonb)),
    ${matchedDocuments},
    ${listed},
    facet AS MATERIALIZED (
      SELECT range.* FROM given CROSS JOIN LATERAL jsonb_to_recordset(ranges) AS range (field text, low text)),
    counted AS MATERIALIZED (
      SELECT facet.field, found.term, count(*)::int AS count
      -- All filters of a document are neighbours in the primary key, so one look-up has the values of every field.
      FROM listed AS candidate CROSS JOIN LATERAL (
          SELECT term FROM posting WHERE doc_id = candidate.doc_id AND posting.term >= '#' AND posting.term < '$'
          ORDER BY posting.term OFFSET 0) AS found
        JOIN facet ON split_part(facet.low, '=', 1) = split_part(found.term, '=', 1)
      GROUP BY facet.field, found.term ORDER BY count DESC, found.term LIMIT 2000)
    SELECT (SELECT count(*)::int FROM matched) AS matched, ${endedEarly} AS "isCut", counted.field, counted.term, counted.count
    FROM (SELECT 1) AS one LEFT JOIN counted ON true ORDER BY counted.count DESC, counted.term`;
}

const orderColumns = fragment`range jsonb, "isDescending" boolean, others bigint[]`;
const listed = fragment`listed AS MATERIALIZED (
      SELECT doc_id FROM matched UNION SELECT unnest(others) AS doc_id FROM given)`;
