import { createHash } from 'node:crypto';
import type { Caller } from '@tandem/caller';
import type { documentTypes } from '@tandem/search-contract';
import { termsOf } from '../../fields.ts';
import type { Tools, Tx } from '../../handler.ts';
import { formsOf, mayBeMeant } from '../../words.ts';

export type DocumentType = (typeof documentTypes)[number];

/** What is to stand in the index. */
export interface Writing {
  type: DocumentType;
  documentId: string;
  /** Of a record: what is there in this version or a newer one stays. A client's word counts in any case. */
  version?: number;
  /** Absent when it is removed. */
  document?: Record<string, unknown>;
  indexedAt: Date;
}

// Misspelt words are looked for among the weightiest of a document; the rest of a long one would fill the table.
const spelledMax = 100;

/** The form in which an id is stored: codes of this API have one form, with or without their prefix. */
export function canonicalId({ ids }: Tools, { tenantId }: Caller, type: DocumentType, given: string): string {
  const id = ids.decode(type, tenantId, given);
  return id === undefined || tenantId === undefined ? given : ids.encode(type, tenantId, id);
}

/**
 * Writes documents and what they are found by, any number at once; none may stand in it twice.
 * @param options.sameVersion whether a record also replaces its document of the same version, as a rebuild does
 */
export async function writeDocuments(tx: Tx, writings: Writing[], { sameVersion = false } = {}): Promise<void> {
  const rows = writings.map((writing) => ({ writing, terms: termsOf(writing.document ?? {}) }));
  const changed = await writeRows(tx, rows.map(asRow), sameVersion);
  if (!changed.length) return;
  const termsOfRow = new Map(rows.map(({ writing: { type, documentId }, terms }) => [`${type} ${documentId}`, terms]));
  const found = changed.map(({ id, type, document_id }) => ({
    ...{ id, type, terms: termsOfRow.get(`${type} ${document_id}`) as Map<string, number> },
  }));
  await forgetWords(tx, await writeWords(tx, found));
}

/** Writes the documents themselves; resolves to those whose words are not those that stand in the index. */
function writeRows(tx: Tx, rows: ReturnType<typeof asRow>[], sameVersion: boolean) {
  return tx.sql<{ id: number; type: DocumentType; document_id: string }>`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row (type text, document_id text, version int, removed boolean,
        document jsonb, status text, source text, stage text, tier text, currency text, assigned_to text, score float,
        value float, created_at timestamptz, owners text[], indexed_at timestamptz, words text)),
    written AS (
      INSERT INTO document (type, document_id, version, document, status, source, stage, tier, currency, assigned_to, score,
        value, created_at, owners, indexed_at, removed_at, words)
      SELECT type, document_id, coalesce(version, 0), document, status, source, stage, tier, currency, assigned_to, score,
        value, created_at, owners, indexed_at, CASE WHEN removed THEN indexed_at END, words
      -- In one order always: two transactions that lock in different orders would wait for each other.
      FROM given ORDER BY type, document_id
      ON CONFLICT (tenant_id, environment, type, document_id) DO UPDATE SET
        version = greatest(document.version, excluded.version), document = excluded.document, status = excluded.status,
        source = excluded.source, stage = excluded.stage, tier = excluded.tier, currency = excluded.currency,
        assigned_to = excluded.assigned_to, score = excluded.score, value = excluded.value,
        created_at = excluded.created_at, indexed_at = excluded.indexed_at,
        removed_at = excluded.removed_at, words = excluded.words,
        -- The owners of a record decide who may find and replace its document: a client does not change them.
        owners = CASE WHEN excluded.version = 0 AND document.version > 0 THEN document.owners ELSE excluded.owners END,
        words_changed = document.words IS DISTINCT FROM excluded.words
      -- Without a version: a client's word.
      WHERE excluded.version = 0 OR document.version < excluded.version
        OR (document.version = excluded.version AND ${sameVersion}::boolean)
      RETURNING id, type, document_id, words_changed)
    SELECT id, type, document_id FROM written WHERE words_changed`;
}

/**
 * Writes what documents are found by, and resolves to the words that some of them no longer have. A statement of its own,
 * begun with their rows under lock: the one before sees no words of a writer that it had to wait for.
 */
function writeWords(tx: Tx, found: { id: number; type: DocumentType; terms: Map<string, number> }[]) {
  const rows = found.map(({ id, type, terms }) => {
    const spelled = [...terms.keys()].filter(mayBeMeant).slice(0, spelledMax);
    const forms = Object.fromEntries(spelled.map((word) => [word, formsOf(word)]));
    return { id, type, terms: Object.fromEntries(terms), forms };
  });
  return tx.sql<{ type: string; word: string }>`
    WITH found AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row (id bigint, type text, terms jsonb, forms jsonb)),
    placed AS (
      INSERT INTO posting (doc_id, type, term, weight)
      SELECT found.id, found.type, term.key, term.value::smallint
      FROM found CROSS JOIN LATERAL jsonb_each_text(found.terms) AS term
      ON CONFLICT (tenant_id, environment, doc_id, term) DO UPDATE SET weight = excluded.weight
      WHERE posting.weight <> excluded.weight),
    spelled AS (
      INSERT INTO spelling (type, form, word)
      SELECT DISTINCT found.type, form.value, word.key
      FROM found CROSS JOIN LATERAL jsonb_each(found.forms) AS word
        CROSS JOIN LATERAL jsonb_array_elements_text(word.value) AS form
      WHERE NOT EXISTS (
        SELECT FROM spelling known WHERE known.type = found.type AND known.form = word.key AND known.word = word.key)
      ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING),
    dropped AS (
      DELETE FROM posting USING found
      WHERE posting.doc_id = found.id AND NOT (found.terms ? posting.term) RETURNING posting.type, posting.term)
    SELECT DISTINCT type, term AS word FROM dropped`;
}

/** A word that stands in no document any more is no longer what somebody may have meant, and may be a person's name. */
async function forgetWords(tx: Tx, gone: { type: string; word: string }[]): Promise<void> {
  const forms = gone
    .filter(({ word }) => mayBeMeant(word))
    .flatMap(({ type, word }) => formsOf(word).map((form) => ({ type, form, word })));
  if (!forms.length) return;
  await tx.sql`DELETE FROM spelling
    USING jsonb_to_recordset(${JSON.stringify(forms)}::jsonb) AS gone (type text, form text, word text)
    WHERE spelling.type = gone.type AND spelling.form = gone.form AND spelling.word = gone.word
      AND NOT EXISTS (SELECT FROM posting WHERE posting.type = gone.type AND posting.term = gone.word)`;
}

function asRow({ writing, terms }: { writing: Writing; terms: Map<string, number> }) {
  const { type, documentId, version, document, indexedAt } = writing;
  return {
    ...{ type, document_id: documentId, version, removed: !document, indexed_at: indexedAt },
    ...{ document: document ?? {}, ...filtersOf(document ?? {}) },
    words: createHash('sha256')
      .update(JSON.stringify([...terms]))
      .digest('base64'),
  };
}

/** The fields by which results are filtered, as far as a document has them in the form that records have. */
function filtersOf(document: Record<string, unknown>) {
  const word = (field: string) => (typeof document[field] === 'string' ? document[field].slice(0, 64) : null);
  const amount = (field: string) => (typeof document[field] === 'number' ? document[field] : null);
  const owners = ['assignedTo', 'createdBy', 'ownerId', 'teamId'].map(word).filter((owner) => owner !== null);
  return {
    ...{ status: word('status'), source: word('source'), stage: word('stage'), tier: word('tier') },
    ...{ currency: word('currency'), assigned_to: word('assignedTo'), score: amount('score'), value: amount('value') },
    ...{ created_at: timeIn(document['createdAt']), owners: [...new Set(owners)] },
  };
}

function timeIn(value: unknown): Date | null {
  const time = typeof value === 'string' ? new Date(value) : undefined;
  const year = time?.getUTCFullYear();
  // PostgreSQL has no year 0, and writes years of five digits in another way.
  return time && year && year > 0 && year < 10_000 ? time : null;
}
