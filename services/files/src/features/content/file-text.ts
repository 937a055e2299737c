import type { Tx } from '../../handler.ts';

/** Maximum size of the text that is indexed, in bytes. PostgreSQL limits the words of a text to a megabyte. */
export const indexedMax = 500_000;

/** Stores the words of a version, if it is the current one, so that the list of files finds it by them. */
export async function storeText(
  tx: Tx,
  { fileId, versionId }: { fileId: number; versionId: number },
  text: string,
): Promise<void> {
  await tx.sql`
    INSERT INTO file_text (file_id, version_id, words)
    SELECT id, version_id, to_tsvector('simple', ${beginningOf(text)}) FROM file
    WHERE id = ${fileId} AND version_id = ${versionId}
    ON CONFLICT (tenant_id, environment, file_id) DO UPDATE SET version_id = EXCLUDED.version_id, words = EXCLUDED.words`;
}

/** As many bytes of a text as are indexed. */
function beginningOf(text: string): string {
  return Buffer.from(text).subarray(0, indexedMax).toString();
}

// More files with the same words are not found: clients add other words, or name the record that the files belong to.
const foundMax = 1_000;

/**
 * The newest files whose text has the words of a search.
 * @param entityId only files of this record
 */
export async function filesWithText(tx: Tx, search: string, entityId: string | undefined): Promise<number[]> {
  const rows = await tx.sql<{ id: number }>`
    SELECT id FROM file_text_with_words(${search}, ${entityId ?? null}, ${foundMax}) AS id`;
  return rows.map(({ id }) => id);
}
