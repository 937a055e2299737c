import type { Tx } from '../../handler.ts';
import type { DocumentType } from '../documents/document.ts';
import { type Question, readQuestion } from './question.ts';

/** What results are filtered by; owners are those of which a document must have one. */
export interface Filter {
  status?: string | undefined;
  source?: string | undefined;
  stage?: string | undefined;
  tier?: string | undefined;
  currency?: string | undefined;
  assignedTo?: string | undefined;
  minScore?: number | undefined;
  minValue?: number | undefined;
  maxValue?: number | undefined;
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
  owners?: string[] | undefined;
}

export interface Hit {
  type: DocumentType;
  documentId: string;
  document: Record<string, unknown>;
  score: number;
}

interface Row extends Omit<Hit, 'score'> {
  total: number;
  id: number | null;
  isWhole: boolean;
  points: number;
}

// A word that more documents have than this says little: the best of them are ranked, so that no search reads them all.
const rankedMax = 1_000;
// What is looked at for it in each way of matching: more where some are left out, few where nobody counts.
const depths = { choosing: 2_000, counting: rankedMax, suggesting: 500 };
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

/**
 * The documents that have all words, best first. The rarest word names the candidates, by the index of words; the others
 * are looked up in each candidate. How many documents the tenant has does not matter for that.
 * Rows of documents are read for filters and for the page only: one that was removed has no words.
 */
async function find(tx: Tx, { words, wholes }: Question, options: Options): Promise<{ hits: Hit[]; total: number }> {
  if (!words.length) return { hits: [], total: 0 };
  const { type, filter, limit, offset, isCounted } = options;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const isOneWord = words.length === 1;
  const isChoosing = isFiltered || !isOneWord;
  const read = isChoosing ? depths.choosing : isCounted ? depths.counting : depths.suggesting;
  const most = weightMax * points.same * words.length;
  // One parameter: where PostgreSQL sees that values make a plan cheaper it plans every search anew, which takes it longer.
  const given = JSON.stringify({
    ...{ type, words, wholes, limit, offset, read, most, isFiltered, isOneWord, isChoosing },
    ...filter,
  });
  const rows = await tx.sql<Row>`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_record(${given}::jsonb) AS row (type text, words jsonb, wholes text[], "limit" int, "offset" int,
        read int, most int, "isFiltered" boolean, "isOneWord" boolean, "isChoosing" boolean, status text, source text,
        stage text, tier text, currency text, "assignedTo" text, "minScore" float, "minValue" float, "maxValue" float,
        "createdFrom" timestamptz, "createdTo" timestamptz, owners text[])),
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
          AND (given.status IS NULL OR status = given.status)
          AND (given.source IS NULL OR source = given.source)
          AND (given.stage IS NULL OR stage = given.stage)
          AND (given.tier IS NULL OR tier = given.tier)
          AND (given.currency IS NULL OR currency = given.currency)
          AND (given."assignedTo" IS NULL OR assigned_to = given."assignedTo")
          AND (given."minScore" IS NULL OR score >= given."minScore")
          AND (given."minValue" IS NULL OR value >= given."minValue")
          AND (given."maxValue" IS NULL OR value <= given."maxValue")
          AND (given."createdFrom" IS NULL OR created_at >= given."createdFrom")
          AND (given."createdTo" IS NULL OR created_at <= given."createdTo")
          AND (given.owners IS NULL OR document.owners && given.owners)
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
    SELECT (SELECT count(*)::int FROM matched) AS total, document.id, hit.points,
      hit.is_whole AS "isWhole", document.type, document.document_id AS "documentId", document.document
    FROM (SELECT 1) AS one LEFT JOIN (hit JOIN document ON document.id = hit.doc_id) ON true
    ORDER BY hit.is_whole DESC, hit.points DESC, hit.doc_id DESC`;
  const hits = rows.flatMap(({ id, isWhole, points: reached, type, documentId, document }) =>
    id === null ? [] : [{ type, documentId, document, score: isWhole ? 1 : rounded(Math.min(reached / most, 0.99)) }],
  );
  return { hits, total: rows[0]?.total ?? 0 };
}

function rounded(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
