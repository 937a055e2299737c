import { compareFacts, factsOf, likelyScore, type MatchKind } from '@tandem/matching';
import { inTurns } from '@tandem/process';
import type { Check } from '../../driver/postgres/duplicate-checks.ts';
import { writtenIndexes } from '../../driver/postgres/generations.ts';
import type { Tools, Tx } from '../../handler.ts';
import { duplicatesOf } from './candidates.ts';
import { type Pair, pairKey, pairOf, removePairs, storePairs, type TwoIds } from './pairs.ts';

// Of each key the newest few documents are compared, and of each document the best few matches are kept.
const perKeyMax = 20;
const pairsMax = 20;

interface Stored {
  key: number;
  type: MatchKind;
  documentId: string;
  document: Record<string, unknown>;
  owners: string[];
}

/**
 * Compares documents with those that share a key or a pair with them: creates missing pairs of likely duplicates, corrects
 * open ones, and removes open ones that are no longer likely. A dismissed pair opens when its score has risen.
 *
 * The documents of a pair are locked before they are compared. So a pair has the score of what they are at the commit, or
 * they are changed later and compared again.
 * @returns the pairs that are new
 */
export async function pairDocuments(tools: Tools, tx: Tx, checks: Check[]): Promise<TwoIds[]> {
  // The live index of a type stays the same until the end of the transaction.
  await writtenIndexes(tx);
  const wanted = [...(await candidatesOf(tools, tx, checks)), ...(await knownPairs(tx, checks))];
  const distinct = [...new Map(wanted.map((pair) => [pairKey(pair), pair])).values()];
  if (!distinct.length) return [];
  const stored = await lockDocuments(tools, tx, distinct);
  const compared = await comparePairs(distinct, stored);
  const isLikely = ({ score }: Pair) => score >= likelyScore;
  const created = await storePairs(tx, compared.filter(isLikely), [...stored.values()]);
  await removePairs(
    tx,
    compared.filter((pair) => !isLikely(pair)),
  );
  return created;
}

/** The best matches of each document. */
async function candidatesOf(tools: Tools, tx: Tx, checks: Check[]): Promise<TwoIds[]> {
  const found = await readDocuments(tools, tx, checks);
  const pairs: TwoIds[] = [];
  for (const { type, key: ownKey, documentId, document: record } of found) {
    const duplicates = await duplicatesOf(tools, tx, { type, record, ownKey, threshold: likelyScore, perKeyMax });
    pairs.push(...duplicates.slice(0, pairsMax).map((other) => pairOf(type, documentId, other.documentId)));
  }
  return pairs;
}

/** The pairs of documents, by one index for each side, which a condition with OR would not use. */
function knownPairs(tx: Tx, checks: Check[]): Promise<TwoIds[]> {
  const [types, ids] = [checks.map(({ type }) => type), checks.map(({ documentId }) => documentId)];
  return tx.sql<TwoIds>`
    SELECT pair.type, first_id AS "firstId", second_id AS "secondId"
      FROM unnest(${types}::text[], ${ids}::text[]) AS wanted (type, id)
      JOIN duplicate_pair AS pair ON pair.type = wanted.type AND pair.first_id = wanted.id
    UNION
    SELECT pair.type, first_id, second_id
      FROM unnest(${types}::text[], ${ids}::text[]) AS wanted (type, id)
      JOIN duplicate_pair AS pair ON pair.type = wanted.type AND pair.second_id = wanted.id`;
}

/** Locks the documents of pairs, in the order in which writers lock them, and reads what they are then. */
async function lockDocuments(tools: Tools, tx: Tx, pairs: TwoIds[]): Promise<Map<string, Stored>> {
  const checks = pairs.flatMap(({ type, firstId, secondId }) =>
    [firstId, secondId].map((documentId) => ({ type, documentId })),
  );
  const { indexes, ids } = await rowsOf(tools, tx, checks);
  await tx.sql`SELECT document.id FROM unnest(${indexes}::text[], ${ids}::text[]) AS wanted (type, id)
    JOIN document ON document.type = wanted.type AND document.document_id = wanted.id
    ORDER BY document.type, document.document_id FOR NO KEY UPDATE OF document`;
  const stored = await readDocuments(tools, tx, checks);
  return new Map(stored.map((one) => [documentKey(one), one]));
}

/** The documents that are not removed. */
async function readDocuments(tools: Tools, tx: Tx, checks: Check[]): Promise<Stored[]> {
  const { indexes, ids } = await rowsOf(tools, tx, checks);
  return tx.sql<Stored>`
    SELECT document.id AS key, split_part(document.type, ':', 1) AS type, document_id AS "documentId", document, owners
    FROM (SELECT DISTINCT * FROM unnest(${indexes}::text[], ${ids}::text[]) AS given (type, id)) AS wanted
    JOIN document ON document.type = wanted.type AND document.document_id = wanted.id
    WHERE removed_at IS NULL`;
}

/** Where the documents are in the live indexes. */
async function rowsOf({ driver }: Tools, tx: Tx, checks: Check[]): Promise<{ indexes: string[]; ids: string[] }> {
  const live = new Map<MatchKind, string>();
  for (const { type } of checks) if (!live.has(type)) live.set(type, await driver.index(tx, type));
  return { indexes: checks.map(({ type }) => live.get(type) ?? type), ids: checks.map(({ documentId }) => documentId) };
}

/** Skips pairs with a removed document, which nobody sees. */
async function comparePairs(pairs: TwoIds[], stored: Map<string, Stored>): Promise<Pair[]> {
  const facts = new Map(
    await inTurns([...stored], ([key, { type, document }]) => [key, factsOf(type, document)] as const),
  );
  return pairs.flatMap((pair) => {
    const [one, other] = [pair.firstId, pair.secondId].map((documentId) =>
      facts.get(documentKey({ type: pair.type, documentId })),
    );
    return one && other ? [{ ...pair, ...compareFacts(one, other) }] : [];
  });
}

function documentKey({ type, documentId }: Check): string {
  return `${type} ${documentId}`;
}
