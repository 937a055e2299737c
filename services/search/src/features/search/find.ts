import type { Tx } from '../../handler.ts';
import type { DocumentType } from '../documents/document.ts';
import { type Filter, filterColumns, passesFilter } from './filter.ts';
import { type Question, readQuestion } from './question.ts';

export interface Hit {
  type: DocumentType;
  documentId: string;
  /** As JSON: a page may have 6 MB of documents, which are parsed one by one. */
  document: string;
  score: number;
}

interface Row extends Omit<Hit, 'score'> {
  total: number;
  isCut: boolean;
  id: number | null;
  isWhole: boolean;
  points: number;
}

// A word that more documents have than this says little: the best of them are ranked, so that no search reads them all.
const rankedMax = 1_000;
// Postings read in each way of matching: more where some are left out, few where nobody counts.
const depths = { choosing: 2_000, counting: rankedMax, suggesting: 500 };
// Postings of each word that the second pass reads.
const depthMax = 200_000;
// Per weight. A misspelling in a name stays behind any beginning of a word.
const points = { same: 10, beginning: 5, misspelt: 1 };
const weightMax = 4;

/** What a question finds, and how it was read. */
export async function findFor(
  tx: Tx,
  given: { q: string; typo: 'auto' | 'off' },
  options: Options,
): Promise<{ question: Question; hits: Hit[]; total: number }> {
  const question = await readQuestion(tx, options.type, given);
  const found = await find(tx, question, options);
  if (found.total || !question.isPhone) return { question, ...found };
  // A date looks like a phone number too, and so does the number of an order.
  const inWords = await readQuestion(tx, options.type, { ...given, isNoPhone: true });
  return { question: inWords, ...(await find(tx, inWords, options)) };
}

interface Options {
  type: DocumentType;
  filter: Filter;
  limit: number;
  offset: number;
  /** Whether somebody wants to know the total; else it may be less. */
  isCounted: boolean;
}

interface Pass extends Options {
  read: number;
  isFiltered?: boolean;
  isChoosing?: boolean;
}

interface Found {
  hits: Hit[];
  total: number;
}

/**
 * The documents that have all words and pass the filter, best first.
 * The first pass reads the best postings of the rarest word. When filters or further words leave too few of those, a
 * second pass reads all of each word, so that no match is lost behind documents that only share a common word.
 */
async function find(tx: Tx, question: Question, options: Options): Promise<Found> {
  const { filter, limit, isCounted } = options;
  if (!question.words.length) return { hits: [], total: 0 };
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const isChoosing = isFiltered || question.words.length > 1;
  if (!isChoosing) {
    return findAmongBest(tx, question, { ...options, read: isCounted ? depths.counting : depths.suggesting });
  }
  const found = await findAmongBest(tx, question, { ...options, read: depths.choosing, isFiltered, isChoosing });
  const wanted = isCounted ? rankedMax : limit;
  return found.isCut && found.total < wanted
    ? findAmongAll(tx, question, { ...options, read: depthMax, isFiltered })
    : found;
}

/**
 * The first pass, which reads at most `read` postings in each way of matching. The rarest word names the candidates, by the
 * index of words; the others are looked up in each candidate. How many documents the tenant has does not matter for that.
 * Rows of documents are read for filters and for the page only: one that was removed has no words.
 */
async function findAmongBest(
  tx: Tx,
  { words, wholes }: Question,
  { type, filter, limit, offset, read, isFiltered = false, isChoosing = false }: Pass,
): Promise<Found & { isCut: boolean }> {
  const isOneWord = words.length === 1;
  const most = weightMax * points.same * words.length;
  // One parameter: where PostgreSQL sees that values make a plan cheaper it plans every search anew, which takes it longer.
  const given = JSON.stringify({
    ...{ type, words, wholes, limit, offset, read, most, isFiltered, isOneWord, isChoosing },
    ...filter,
  });
  const rows = await tx.sql<Row>`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_record(${given}::jsonb) AS row (type text, words jsonb, wholes text[], "limit" int, "offset" int,
        read int, most int, "isFiltered" boolean, "isOneWord" boolean, "isChoosing" boolean, ${filterColumns})),
    word AS MATERIALIZED (
      SELECT row.* FROM given CROSS JOIN LATERAL jsonb_to_recordset(words) AS row (low text, high text, alike text[])),
    rarest AS MATERIALIZED (
      SELECT type, read, "isChoosing", word.* FROM given CROSS JOIN word
      ORDER BY CASE WHEN NOT "isOneWord" THEN (SELECT count(*) FROM (SELECT FROM posting
        WHERE type = given.type AND term >= word.low AND term < word.high LIMIT given.read) AS bounded) END LIMIT 1),
    same AS MATERIALIZED (
      SELECT best.* FROM rarest CROSS JOIN LATERAL (SELECT doc_id, weight FROM posting
        WHERE type = rarest.type AND term = rarest.low ORDER BY weight DESC, doc_id DESC LIMIT rarest.read) AS best),
    -- Only what is the word itself in a field that counts for least may have fewer points than a beginning.
    longer AS MATERIALIZED (
      SELECT first.* FROM rarest CROSS JOIN LATERAL (SELECT doc_id, weight FROM posting
        WHERE type = rarest.type AND term > rarest.low AND term < rarest.high ORDER BY term, weight DESC, doc_id DESC
        LIMIT rarest.read - (SELECT count(*) FROM same WHERE weight > 1 AND NOT rarest."isChoosing")) AS first),
    misspelt AS MATERIALIZED (
      SELECT best.* FROM rarest CROSS JOIN LATERAL unnest(alike) AS likely (term)
        CROSS JOIN LATERAL (SELECT doc_id, weight FROM posting
          WHERE type = rarest.type AND term = likely.term ORDER BY weight DESC, doc_id DESC LIMIT rarest.read) AS best
      LIMIT (SELECT greatest(0, read - (SELECT count(*) FROM same) - (SELECT count(*) FROM longer)) FROM rarest)),
    whole AS MATERIALIZED (
      SELECT latest.doc_id, given.most AS points FROM given CROSS JOIN LATERAL unnest(wholes) AS equal (term)
        CROSS JOIN LATERAL (SELECT doc_id FROM posting
          WHERE type = given.type AND term = equal.term ORDER BY weight DESC, doc_id DESC LIMIT given.read) AS latest),
    candidate AS MATERIALIZED (
      SELECT doc_id, max(points) AS points, bool_or(is_whole) AS is_whole FROM (
        SELECT doc_id, weight * ${points.same}::int AS points, false AS is_whole FROM same
        UNION ALL SELECT doc_id, weight * ${points.beginning}::int, false FROM longer
        UNION ALL SELECT doc_id, weight * ${points.misspelt}::int, false FROM misspelt
        UNION ALL SELECT doc_id, points, true FROM whole) AS found
      GROUP BY doc_id ORDER BY is_whole DESC, points DESC, doc_id DESC),
    -- Of all candidates at once: a look for each of two thousand took twice as long.
    fitting AS MATERIALIZED (
      SELECT document.id FROM given CROSS JOIN LATERAL (SELECT id FROM document
        WHERE given."isFiltered" AND id = ANY(ARRAY(SELECT doc_id FROM candidate))
          ${passesFilter}
        -- Keeps it behind what is given: unasked, no document is looked at.
        OFFSET 0) AS document),
    matched AS MATERIALIZED (
      SELECT * FROM (SELECT doc_id, is_whole, CASE WHEN "isOneWord" OR is_whole THEN points ELSE (
        SELECT CASE WHEN count(best.points) = count(*) THEN sum(best.points)::int END
        FROM rarest CROSS JOIN word CROSS JOIN LATERAL (
          SELECT CASE WHEN word.low = rarest.low THEN candidate.points ELSE greatest(
            (SELECT max(weight * CASE WHEN term = word.low THEN ${points.same}::int ELSE ${points.beginning}::int END)
              FROM posting WHERE doc_id = candidate.doc_id AND term >= word.low AND term < word.high),
            (SELECT max(weight * ${points.misspelt}::int)
              FROM posting WHERE doc_id = candidate.doc_id AND term = ANY(word.alike))) END AS points
          -- Keeps it from being written out, and done, once for each use.
          OFFSET 0) AS best) END AS points
      FROM given CROSS JOIN candidate
      WHERE NOT "isFiltered" OR doc_id IN (SELECT id FROM fitting)
      OFFSET 0) AS one WHERE points IS NOT NULL LIMIT ${rankedMax}::int),
    hit AS MATERIALIZED (
      SELECT * FROM matched ORDER BY is_whole DESC, points DESC, doc_id DESC
      LIMIT (SELECT "limit" FROM given) OFFSET (SELECT "offset" FROM given))
    SELECT (SELECT count(*)::int FROM matched) AS total,
      (SELECT count(*) FROM same) + (SELECT count(*) FROM longer) + (SELECT count(*) FROM misspelt)
        + (SELECT count(*) FROM whole) >= (SELECT read FROM given) AS "isCut", document.id, hit.points,
      hit.is_whole AS "isWhole", document.type, document.document_id AS "documentId", document.document::text AS document
    FROM (SELECT 1) AS one LEFT JOIN (hit JOIN document ON document.id = hit.doc_id) ON true
    ORDER BY hit.is_whole DESC, hit.points DESC, hit.doc_id DESC`;
  return { ...foundIn(rows, most), isCut: rows[0]?.isCut ?? false };
}

/**
 * The second pass: the documents that pass the filter and in which all words stand, by reading each word's postings.
 */
async function findAmongAll(
  tx: Tx,
  { words, wholes }: Question,
  { type, filter, limit, offset, read, isFiltered = false }: Pass,
): Promise<Found> {
  const most = weightMax * points.same * words.length;
  const numbered = words.map((word, n) => ({ ...word, n }));
  const given = JSON.stringify({ type, words: numbered, wholes, limit, offset, read, most, isFiltered, ...filter });
  const rows = await tx.sql<Row>`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_record(${given}::jsonb) AS row (type text, words jsonb, wholes text[], "limit" int, "offset" int,
        read int, most int, "isFiltered" boolean, ${filterColumns})),
    word AS MATERIALIZED (
      SELECT row.* FROM given
        CROSS JOIN LATERAL jsonb_to_recordset(words) AS row (n int, low text, high text, alike text[])),
    fitting AS MATERIALIZED (
      SELECT document.id FROM given CROSS JOIN LATERAL (SELECT id FROM document
        WHERE given."isFiltered" AND type = given.type
          ${passesFilter}
        OFFSET 0) AS document),
    in_word AS MATERIALIZED (
      SELECT n, doc_id, max(points) AS points FROM (
        SELECT word.n, near.* FROM given CROSS JOIN word CROSS JOIN LATERAL (
          SELECT doc_id, weight * CASE WHEN term = word.low THEN ${points.same}::int ELSE ${points.beginning}::int END AS points
          FROM posting WHERE type = given.type AND term >= word.low AND term < word.high LIMIT given.read) AS near
        UNION ALL
        SELECT word.n, near.* FROM given CROSS JOIN word CROSS JOIN LATERAL unnest(alike) AS likely (term)
          CROSS JOIN LATERAL (
            SELECT doc_id, weight * ${points.misspelt}::int FROM posting
            WHERE type = given.type AND term = likely.term LIMIT given.read) AS near) AS one
      GROUP BY n, doc_id),
    candidate AS MATERIALIZED (
      SELECT doc_id, max(points) AS points, bool_or(is_whole) AS is_whole FROM (
        SELECT doc_id, sum(points)::int AS points, false AS is_whole FROM in_word
        GROUP BY doc_id HAVING count(*) = (SELECT count(*) FROM word)
        UNION ALL
        SELECT posting.doc_id, given.most, true FROM given CROSS JOIN LATERAL unnest(wholes) AS equal (term)
          CROSS JOIN LATERAL (SELECT doc_id FROM posting
            WHERE type = given.type AND term = equal.term LIMIT given.read) AS posting) AS found
      GROUP BY doc_id ORDER BY is_whole DESC, points DESC, doc_id DESC),
    matched AS MATERIALIZED (
      SELECT candidate.* FROM given CROSS JOIN candidate
      -- A hashed set: its cost grows with the number of documents, whatever the planner believes that number to be.
      WHERE NOT "isFiltered" OR doc_id IN (SELECT id FROM fitting)
      LIMIT ${rankedMax}::int),
    hit AS MATERIALIZED (
      SELECT * FROM matched ORDER BY is_whole DESC, points DESC, doc_id DESC
      LIMIT (SELECT "limit" FROM given) OFFSET (SELECT "offset" FROM given))
    SELECT (SELECT count(*)::int FROM matched) AS total, document.id, hit.points,
      hit.is_whole AS "isWhole", document.type, document.document_id AS "documentId", document.document::text AS document
    FROM (SELECT 1) AS one LEFT JOIN (hit JOIN document ON document.id = hit.doc_id) ON true
    ORDER BY hit.is_whole DESC, hit.points DESC, hit.doc_id DESC`;
  return foundIn(rows, most);
}

function foundIn(rows: Omit<Row, 'isCut'>[], most: number): Found {
  const hits = rows.flatMap(({ id, isWhole, points: reached, type, documentId, document }) =>
    id === null ? [] : [{ type, documentId, document, score: isWhole ? 1 : rounded(Math.min(reached / most, 0.99)) }],
  );
  return { hits, total: rows[0]?.total ?? 0 };
}

function rounded(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
