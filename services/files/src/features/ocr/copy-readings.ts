import type { FileVersion } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { storeText } from '../content/file-text.ts';

type Version = Pick<FileVersion, 'id' | 'fileId'>;

/** Whether OCR has read a version. */
export async function isRead(tx: Tx, { id: versionId, fileId }: Version): Promise<boolean> {
  return (await tx.ocrJob.count({ where: { fileId, versionId, status: 'completed' } })) > 0;
}

/**
 * Gives the current version of a locked file what OCR has read of an earlier one with the same content. They are copies,
 * because the deletion of a version removes its own. Of jobs with the same options only the last one is copied.
 */
export async function copyReadings(tx: Tx, { id, fileId }: Version, versionId: number): Promise<void> {
  await tx.sql`
    WITH earlier AS MATERIALIZED (
      SELECT DISTINCT ON (fingerprint) * FROM ocr_job
      WHERE file_id = ${fileId} AND version_id = ${id} AND status = 'completed' ORDER BY fingerprint, id DESC),
    copied AS (
      INSERT INTO ocr_job (file_id, version_id, status, languages, features, pages, schema, fingerprint, done, total, engine,
        tables, fields, created_by, created_at, completed_at)
      SELECT file_id, ${versionId}, status, languages, features, pages, schema, fingerprint, done, total, engine,
        tables, fields, created_by, created_at, completed_at FROM earlier ORDER BY id
      RETURNING id, fingerprint)
    INSERT INTO ocr_page (ocr_job_id, number, recognized, content)
    SELECT copied.id, page.number, page.recognized, page.content
    FROM earlier JOIN copied USING (fingerprint) JOIN ocr_page AS page ON page.tenant_id = earlier.tenant_id
      AND page.environment = earlier.environment AND page.ocr_job_id = earlier.id`;
  await storeText(tx, { fileId, versionId }, []);
}
