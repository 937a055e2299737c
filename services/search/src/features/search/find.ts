import type { Tx } from '../../handler.ts';
import type { DocumentType } from '../documents/document.ts';
import type { Question } from './question.ts';

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
const depth = 2_000;
const rarityMax = 1_000;
// Per weight. A misspelling in a name stays behind any beginning of a word.
const points = { same: 10, beginning: 5, misspelt: 1 };
const weightMax = 4;

/**
 * The documents that have all words, best first. The rarest word names the candidates, by the index of words; the others
 * are looked up in each candidate. How many documents the tenant has does not matter for that.
 */
export async function find(
  tx: Tx,
  { words, wholes }: Question,
  options: { type: DocumentType; filter: Filter; limit: number; offset: number },
): Promise<{ hits: Hit[]; total: number }> {
  if (!words.length) return { hits: [], total: 0 };
  const { type, filter, limit, offset } = options;
  const rows = await tx.sql<Row>`
    WITH word AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(words)}::jsonb) AS row (low text, high text, alike text[])),
    wanted AS MATERIALIZED (
      SELECT * FROM jsonb_to_record(${JSON.stringify(filter)}::jsonb) AS row (status text, source text, stage text,
        tier text, currency text, "assignedTo" text, "minScore" float, "minValue" float, "maxValue" float,
        "createdFrom" timestamptz, "createdTo" timestamptz, owners text[])),
    rarest AS MATERIALIZED (
      SELECT word.* FROM word ORDER BY (SELECT count(*) FROM (SELECT 1 FROM posting
        WHERE type = ${type} AND term >= word.low AND term < word.high LIMIT ${rarityMax}) AS bounded) LIMIT 1),
    candidate AS MATERIALIZED (
      (SELECT doc_id FROM posting WHERE type = ${type} AND term = ANY(${wholes}::text[]) LIMIT ${depth})
      UNION
      SELECT same.doc_id FROM rarest CROSS JOIN LATERAL (SELECT doc_id FROM posting
        WHERE type = ${type} AND term = rarest.low ORDER BY weight DESC, doc_id DESC LIMIT ${depth}) AS same
      UNION
      SELECT longer.doc_id FROM rarest CROSS JOIN LATERAL (SELECT doc_id FROM posting
        WHERE type = ${type} AND term > rarest.low AND term < rarest.high ORDER BY term LIMIT ${depth}) AS longer
      UNION
      SELECT misspelt.doc_id FROM rarest CROSS JOIN LATERAL (SELECT doc_id FROM posting
        WHERE type = ${type} AND term = ANY(rarest.alike) LIMIT ${depth}) AS misspelt),
    matched AS MATERIALIZED (
      SELECT candidate.doc_id, sum(best.points)::int AS points
      FROM candidate CROSS JOIN word CROSS JOIN LATERAL (
        SELECT max(weight * CASE WHEN term = word.low THEN ${points.same}::int
          WHEN term > word.low AND term < word.high THEN ${points.beginning}::int ELSE ${points.misspelt}::int END) AS points
        FROM posting WHERE doc_id = candidate.doc_id AND weight > 0
          AND ((term >= word.low AND term < word.high) OR term = ANY(word.alike))) AS best
      GROUP BY candidate.doc_id HAVING count(best.points) = (SELECT count(*) FROM word)),
    ranked AS MATERIALIZED (
      SELECT document.id, matched.points, EXISTS (
        SELECT FROM posting WHERE doc_id = document.id AND term = ANY(${wholes}::text[])) AS is_whole
      FROM matched JOIN document ON document.id = matched.doc_id CROSS JOIN wanted
      WHERE removed_at IS NULL
        AND (wanted.status IS NULL OR document.status = wanted.status)
        AND (wanted.source IS NULL OR document.source = wanted.source)
        AND (wanted.stage IS NULL OR document.stage = wanted.stage)
        AND (wanted.tier IS NULL OR document.tier = wanted.tier)
        AND (wanted.currency IS NULL OR document.currency = wanted.currency)
        AND (wanted."assignedTo" IS NULL OR document.assigned_to = wanted."assignedTo")
        AND (wanted."minScore" IS NULL OR document.score >= wanted."minScore")
        AND (wanted."minValue" IS NULL OR document.value >= wanted."minValue")
        AND (wanted."maxValue" IS NULL OR document.value <= wanted."maxValue")
        AND (wanted."createdFrom" IS NULL OR document.created_at >= wanted."createdFrom")
        AND (wanted."createdTo" IS NULL OR document.created_at <= wanted."createdTo")
        AND (wanted.owners IS NULL OR document.owners && wanted.owners)),
    hit AS (
      SELECT * FROM ranked ORDER BY is_whole DESC, points DESC, id DESC LIMIT ${limit} OFFSET ${offset})
    SELECT (SELECT count(*)::int FROM ranked) AS total, hit.id, hit.points, hit.is_whole AS "isWhole", document.type,
      document.document_id AS "documentId", document.document
    FROM (SELECT 1) AS one LEFT JOIN hit ON true LEFT JOIN document ON document.id = hit.id
    ORDER BY hit.is_whole DESC, hit.points DESC, hit.id DESC`;
  const most = weightMax * points.same * words.length;
  const hits = rows.flatMap(({ id, isWhole, points: reached, type, documentId, document }) =>
    id === null ? [] : [{ type, documentId, document, score: isWhole ? 1 : rounded(Math.min(reached / most, 0.99)) }],
  );
  return { hits, total: rows[0]?.total ?? 0 };
}

function rounded(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
