import type { Tx } from '../../handler.ts';

// PostgreSQL limits the words of a text to a megabyte; the words of longer texts repeat themselves.
const indexedMax = 500_000;

/** Stores the words of a version, if it is the current one, so that the list of files finds it by them. */
export async function storeText(
  tx: Tx,
  { fileId, versionId }: { fileId: number; versionId: number },
  text: string,
): Promise<void> {
  await tx.sql`
    INSERT INTO file_text (file_id, version_id, words)
    SELECT id, version_id, to_tsvector('simple', ${text.slice(0, indexedMax)}) FROM file
    WHERE id = ${fileId} AND version_id = ${versionId}
    ON CONFLICT (tenant_id, environment, file_id) DO UPDATE SET version_id = EXCLUDED.version_id, words = EXCLUDED.words`;
}
