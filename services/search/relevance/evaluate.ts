import { leads, opportunities, partners } from './documents.ts';
import { type Query, queries } from './queries.ts';

/** Every document of the set. */
export const documents = [...leads, ...opportunities, ...partners];

/** The quality of a ranking, as means over all queries or over those of one kind. */
export interface Quality {
  ndcg: number;
  mrr: number;
}

const depth = 10;
const wantedGrade = 3;

/** Measures a search by the labelled queries: of each it returns the ids of its results, best first. */
export async function evaluate(
  search: (query: Query) => Promise<string[]>,
): Promise<{ all: Quality; byKind: Map<string, Quality> }> {
  const measured: (Quality & { kind: string })[] = [];
  for (const query of queries) measured.push({ kind: query.kind, ...qualityOf(await search(query), query) });
  const kinds = Map.groupBy(measured, ({ kind }) => kind);
  return { all: meanOf(measured), byKind: new Map([...kinds].map(([kind, some]) => [kind, meanOf(some)])) };
}

/** Normalised discounted cumulative gain of the first ten results, and the reciprocal rank of the first wanted one. */
function qualityOf(ids: string[], { grades }: Query): Quality {
  const gain = (grade: number, place: number) => (2 ** grade - 1) / Math.log2(place + 2);
  const found = ids.slice(0, depth).reduce((sum, id, place) => sum + gain(grades.get(id) ?? 0, place), 0);
  const best = [...grades.values()]
    .sort((one, other) => other - one)
    .slice(0, depth)
    .reduce((sum, grade, place) => sum + gain(grade, place), 0);
  const first = ids.findIndex((id) => (grades.get(id) ?? 0) >= wantedGrade);
  return { ndcg: best === 0 ? 0 : found / best, mrr: first < 0 ? 0 : 1 / (first + 1) };
}

function meanOf(qualities: Quality[]): Quality {
  const mean = (value: (one: Quality) => number) =>
    qualities.reduce((sum, one) => sum + value(one), 0) / Math.max(1, qualities.length);
  return { ndcg: mean(({ ndcg }) => ndcg), mrr: mean(({ mrr }) => mrr) };
}

/** Full-text search as PostgreSQL has it without further tuning, for comparison: $1 is the type, $2 the text. */
export const plainSearchSql = `
  SELECT document_id AS id
  FROM document, plainto_tsquery('simple', $2) AS query,
    LATERAL jsonb_to_tsvector('simple', document, '["string"]') AS vector
  WHERE type = $1 AND removed_at IS NULL AND vector @@ query
  ORDER BY ts_rank_cd(vector, query) DESC, id DESC LIMIT 10`;
