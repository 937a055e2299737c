import { inTurns } from '@tandem/process';
import type { Tx } from '../../database.ts';
import { factsDigest, shortText, termsOf, timeIn } from '../../fields.ts';
import { digestOf, facetTerm } from '../../terms.ts';
import type { DocumentType, Writing } from '../document.ts';
import { noteChecks, type WrittenRow } from './duplicate-checks.ts';
import { typeOfIndex, writtenIndexes } from './generations.ts';
import { writeTerms } from './index-terms.ts';

// A record belongs to the users and the team in these fields.
const ownerFields = ['assignedTo', 'createdBy', 'ownerId', 'teamId'];

/**
 * Writes or removes documents and their terms, any number at once; none may be in it twice. While an index is being built,
 * they are written into it too.
 * @param options.sameVersion whether a record also replaces its document of the same version, as a rebuild does
 * @param options.intoNew whether they are written only into the index that is being built
 * @returns whether documents wait until they are compared with possible duplicates
 */
export async function writeDocuments(
  tx: Tx,
  writings: Writing[],
  { sameVersion = false, intoNew = false } = {},
): Promise<boolean> {
  const indexesOf = await writtenIndexes(tx);
  const termsByKey = new Map<string, Map<string, number>>();
  const rows = await inTurns(writings, (writing) => {
    const { live, building } = indexesOf(writing.type);
    const indexes = [intoNew ? undefined : live, building].filter((index) => index !== undefined);
    const terms = termsOf(writing.document ?? {}, writing.type);
    termsByKey.set(keyOf(writing), terms);
    const row = asRow(writing, terms);
    return indexes.map((type) => ({ ...row, type }));
  });
  const changed = await writeRows(tx, rows.flat(), sameVersion);
  const documents = changed.map(({ id, type, documentId, owners }) => {
    const terms = termsByKey.get(keyOf({ type: typeOfIndex(type), documentId })) as Map<string, number>;
    return { id, type, terms: withOwners(terms, owners) };
  });
  if (documents.length) await writeTerms(tx, documents);
  return noteChecks(tx, changed, { liveOf: (type) => indexesOf(type).live, intoNew });
}

interface ChangedRow extends WrittenRow {
  id: number;
}

function keyOf({ type, documentId }: { type: DocumentType; documentId: string }): string {
  return `${type} ${documentId}`;
}

/** The terms of a document together with those for its owners, who for a record are not always those in the document. */
export function withOwners(terms: Map<string, number>, owners: string[]): Map<string, number> {
  return new Map([...terms, ...owners.map((owner) => [facetTerm('owner', owner), 0] as const)]);
}

/** Writes the rows of documents; resolves to those whose terms, owners or compared fields changed. */
function writeRows(
  tx: Tx,
  rows: (ReturnType<typeof asRow> & { type: string })[],
  sameVersion: boolean,
): Promise<ChangedRow[]> {
  return tx.sql<ChangedRow>`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row (type text, document_id text, version int, removed boolean,
        document jsonb, status text, source text, stage text, tier text, currency text, assigned_to text, score float,
        value float, created_at timestamptz, owners text[], indexed_at timestamptz, words text, facts text)),
    written AS (
      INSERT INTO document (type, document_id, version, document, status, source, stage, tier, currency, assigned_to, score,
        value, created_at, owners, indexed_at, removed_at, words, facts)
      SELECT type, document_id, coalesce(version, 0), document, status, source, stage, tier, currency, assigned_to, score,
        value, created_at, owners, indexed_at, CASE WHEN removed THEN indexed_at END, words, facts
      -- In one order always: two transactions that lock in different orders would wait for each other.
      FROM given ORDER BY type, document_id
      ON CONFLICT (tenant_id, environment, type, document_id) DO UPDATE SET
        version = greatest(document.version, excluded.version), document = excluded.document, status = excluded.status,
        source = excluded.source, stage = excluded.stage, tier = excluded.tier, currency = excluded.currency,
        assigned_to = excluded.assigned_to, score = excluded.score, value = excluded.value,
        created_at = excluded.created_at, indexed_at = excluded.indexed_at,
        removed_at = excluded.removed_at, words = excluded.words, facts = excluded.facts,
        embedded_by = CASE WHEN document.words IS NOT DISTINCT FROM excluded.words THEN document.embedded_by END,
        -- The owners of a record decide who may find and replace its document: a client does not change them.
        owners = CASE WHEN excluded.version = 0 AND document.version > 0 THEN document.owners ELSE excluded.owners END,
        -- A rebuild also writes terms that the index lost: their digest is still the same.
        words_changed = ${sameVersion}::boolean OR document.words IS DISTINCT FROM excluded.words
          OR document.owners IS DISTINCT FROM excluded.owners
      -- A document without a version comes from a client and always counts.
      WHERE excluded.version = 0 OR document.version < excluded.version
        OR (document.version = excluded.version AND ${sameVersion}::boolean)
      RETURNING new.id, new.type, new.document_id, new.words_changed, new.removed_at IS NOT NULL AS removed,
        CASE WHEN new.removed_at IS NULL THEN new.owners ELSE '{}' END AS owners,
        old.facts IS DISTINCT FROM new.facts AS facts_changed)
    SELECT id, type, document_id AS "documentId", owners, removed AS "isRemoved", facts_changed AS "factsChanged"
    FROM written WHERE words_changed OR facts_changed`;
}

function asRow({ type, documentId, version, document, indexedAt }: Writing, terms: Map<string, number>) {
  return {
    document_id: documentId,
    version,
    removed: !document,
    indexed_at: indexedAt,
    document: document ?? {},
    words: digestOf(terms),
    facts: document ? factsDigest(type, document) : null,
    ...filtersOf(document ?? {}),
  };
}

/** The columns that results are filtered by, as far as a document has them in the form that records have. */
function filtersOf(document: Record<string, unknown>) {
  const amount = (field: string) => (typeof document[field] === 'number' ? document[field] : null);
  const owners = ownerFields.map((field) => shortText(document[field])).filter((owner) => owner !== null);
  return {
    status: shortText(document['status']),
    source: shortText(document['source']),
    stage: shortText(document['stage']),
    tier: shortText(document['tier']),
    currency: shortText(document['currency']),
    assigned_to: shortText(document['assignedTo']),
    score: amount('score'),
    value: amount('value'),
    created_at: timeIn(document['createdAt']) ?? null,
    owners: [...new Set(owners)],
  };
}
