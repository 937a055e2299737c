import { inTurns } from '@tandem/process';
import type { Tx } from '../../database.ts';
import { sketchOf } from '../../embedding/grams.ts';
import { formsOf, hasSpellings } from '../../words.ts';
import { type IndexedDocument, writeVectors } from './vectors.ts';

// Words of a document whose misspellings are found, those of the highest weight first: the rest of a long text would fill
// the table.
const spelledMax = 100;
// Postings of one statement: on a busy machine, one for 100 long documents takes longer than a statement may.
const postingsMax = 25_000;

/** Makes the terms and vectors of these documents those in the index. Their rows must be locked by the transaction. */
export async function writeTerms(tx: Tx, documents: IndexedDocument[]): Promise<void> {
  const rows = await inTurns(documents, asRow);
  const unwanted = await lockSpellings(tx, rows);
  const parts = inParts(rows);
  // The time limit of a statement begins when it is sent, so long ones are not sent together.
  for (const part of parts.slice(0, -1)) await addPostings(tx, part);
  // Sent together: the connection runs them one after the other without waiting for us in between.
  await Promise.all([addPostings(tx, parts.at(-1) ?? []), addSpellings(tx, documents), writeVectors(tx, documents)]);
  if (!unwanted.length) return;
  await removeTerms(tx, unwanted);
  await forgetSpellings(tx, unwanted);
}

/** A document as a row of a JSON parameter, and the number of its terms. */
interface Row {
  json: string;
  size: number;
}

function asRow({ id, type, terms }: IndexedDocument): Row {
  return { json: JSON.stringify({ id, type, terms: Object.fromEntries(terms) }), size: terms.size };
}

function asList(rows: Row[]): string {
  return `[${rows.map(({ json }) => json).join(',')}]`;
}

/** The rows of each statement. */
function inParts(rows: Row[]): Row[][] {
  const parts: Row[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    size += row.size;
    if (size <= postingsMax) {
      parts.at(-1)?.push(row);
      continue;
    }
    parts.push([row]);
    size = row.size;
  }
  return parts;
}

interface Posting {
  docId: number;
  type: string;
  term: string;
}

/**
 * Resolves to the stored terms that the documents no longer have. If there are words among them, no other transaction of the
 * tenant writes terms until the commit: two that did not see each other's changes could keep a word without its spellings,
 * or spellings without their word. Transactions that remove no word do not wait for each other.
 *
 * A transaction takes this lock once and after those of its documents, so none waits for another one that waits for it.
 */
async function lockSpellings(tx: Tx, rows: Row[]): Promise<Posting[]> {
  const postings = await tx.sql<Posting | Record<keyof Posting, null>>`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${asList(rows)}::jsonb) AS row (id bigint, terms jsonb)),
    unwanted AS MATERIALIZED (
      SELECT doc_id, type, term FROM posting JOIN given ON given.id = doc_id
      WHERE doc_id = ANY(ARRAY(SELECT id FROM given)) AND NOT given.terms ? term
        -- Those of a provider's vector stay as long as the document does.
        AND (NOT starts_with(term, '@') OR given.terms = '{}'::jsonb)),
    turn AS MATERIALIZED (
      -- Filters, which begin with #, change more often than words.
      SELECT CASE WHEN EXISTS (SELECT FROM unwanted WHERE NOT starts_with(term, '#'))
        THEN pg_advisory_xact_lock(key)::text ELSE pg_advisory_xact_lock_shared(key)::text END
      FROM hashtextextended('spellings', platform.tenant_id() * 2 + (platform.environment() = 'live')::int) AS key)
    SELECT doc_id AS "docId", type, term FROM turn LEFT JOIN unwanted ON true`;
  return postings.filter((posting): posting is Posting => posting.term !== null);
}

/**
 * Writes the terms that are new or have another weight. It is a separate statement from those that lock, whose snapshots are
 * older than the commit of a writer that they waited for.
 */
async function addPostings(tx: Tx, rows: Row[]): Promise<void> {
  await tx.sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${asList(rows)}::jsonb) AS row (id bigint, type text, terms jsonb)),
    wanted AS MATERIALIZED (
      SELECT given.id AS doc_id, given.type, term.key AS term, term.value::smallint AS weight
      FROM given CROSS JOIN LATERAL jsonb_each_text(given.terms) AS term),
    known AS MATERIALIZED (
      SELECT doc_id, term, weight FROM posting WHERE doc_id = ANY(ARRAY(SELECT id FROM given)))
    INSERT INTO posting (doc_id, type, term, weight)
    SELECT doc_id, wanted.type, term, wanted.weight
    FROM wanted LEFT JOIN known USING (doc_id, term) WHERE known.weight IS DISTINCT FROM wanted.weight
    ON CONFLICT (tenant_id, environment, doc_id, term) DO UPDATE SET weight = excluded.weight`;
}

/** Writes the spellings of words that have none yet: the word, the forms of it that lack one letter, and its sketch. */
async function addSpellings(tx: Tx, documents: IndexedDocument[]): Promise<void> {
  const words = new Map<string, { type: string; word: string; sketch: string[] }>();
  await inTurns(documents, ({ type, terms }) => {
    for (const word of [...terms.keys()].filter(hasSpellings).slice(0, spelledMax)) {
      const key = `${type} ${word}`;
      if (!words.has(key)) words.set(key, { type, word, sketch: sketchOf(word) });
    }
  });
  if (!words.size) return;
  await tx.sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify([...words.values()])}::jsonb) AS row (type text, word text, sketch text[])),
    -- Words of an earlier form of the index have no sketch, so they are written again. OFFSET 0 makes it one look-up a word.
    unknown AS MATERIALIZED (
      SELECT * FROM given WHERE NOT EXISTS (
        SELECT FROM spelling WHERE spelling.type = given.type AND spelling.form = coalesce(given.sketch[1], given.word)
          AND spelling.word = given.word OFFSET 0))
    INSERT INTO spelling (type, form, word)
    SELECT type, unnest(sketch), word FROM unknown
    UNION
    -- The word, and each form of it that lacks one letter: formsOf in words.ts.
    SELECT type, CASE WHEN letter = 0 THEN word ELSE overlay(word PLACING '' FROM letter FOR 1) END, word
    FROM unknown CROSS JOIN LATERAL generate_series(0, length(word)) AS letter
    -- Always in one order: two transactions that insert in different orders would wait for each other.
    ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING`;
}

async function removeTerms(tx: Tx, postings: Posting[]): Promise<void> {
  for (const [docId, ofDocument] of Map.groupBy(postings, (posting) => posting.docId)) {
    const terms = ofDocument.map(({ term }) => term);
    await tx.sql`DELETE FROM posting WHERE doc_id = ${docId} AND term = ANY(${terms}::text[])`;
  }
}

/** Removes the spellings of words that no document has any more: suggesting them would reveal a removed name. */
async function forgetSpellings(tx: Tx, removed: Posting[]): Promise<void> {
  const words = new Map(
    removed.filter(({ term }) => hasSpellings(term)).map((one) => [`${one.type} ${one.term}`, one]),
  );
  const forms = [...words.values()].flatMap(({ type, term }) =>
    [...formsOf(term), ...sketchOf(term)].map((form) => ({ type, form, word: term })),
  );
  if (!forms.length) return;
  await tx.sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(forms)}::jsonb) AS row (type text, form text, word text)),
    unused AS MATERIALIZED (
      SELECT DISTINCT type, word FROM given
      WHERE NOT EXISTS (SELECT FROM posting
        WHERE posting.type = given.type AND posting.weight IN (1, 2, 4) AND posting.term = given.word))
    DELETE FROM spelling USING given JOIN unused USING (type, word)
    WHERE spelling.type = given.type AND spelling.form = given.form AND spelling.word = given.word`;
}
