import type { Tx } from '../../handler.ts';

/** Maximum size of the text that is indexed, in bytes. PostgreSQL limits the words of a text to a megabyte. */
export const indexedMax = 500_000;

interface VersionId {
  fileId: number;
  versionId: number;
}

interface Page {
  number: number;
  text: string;
}

/**
 * Stores the words of a version, if it is the current one, so that the list of files finds it by them: of each page the text
 * that OCR has read last, otherwise the text that the page contains. The jobs that read a version end in any order, and OCR
 * may have read some pages only, so each of them stores the words of all pages. The file is locked, so that each sees what
 * the other has stored.
 * @param contained the pages with text of their own
 */
export async function storeText(tx: Tx, version: VersionId, contained: readonly Page[]): Promise<void> {
  const texts = new Map(contained.map(({ number, text }) => [number, text]));
  for (const { number, text } of await readPages(tx, version)) texts.set(number, text);
  const inOrder = [...texts].sort(([one], [other]) => one - other).map(([, text]) => text);
  const text = inOrder.join('\n');
  // A scan has no text until OCR has read it.
  if (text.trim()) await storeWords(tx, version, text);
}

/** The pages that OCR has read, each as the last job read it. */
function readPages(tx: Tx, { fileId, versionId }: VersionId): Promise<Page[]> {
  return tx.sql<Page>`
    SELECT DISTINCT ON (page.number) page.number, page.content->>'text' AS text FROM ocr_job
    JOIN ocr_page AS page ON page.tenant_id = ocr_job.tenant_id AND page.environment = ocr_job.environment
      AND page.ocr_job_id = ocr_job.id
    WHERE ocr_job.file_id = ${fileId} AND ocr_job.version_id = ${versionId} AND ocr_job.status = 'completed'
    ORDER BY page.number, ocr_job.id DESC`;
}

async function storeWords(tx: Tx, { fileId, versionId }: VersionId, text: string): Promise<void> {
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

// More files with the same words and values are not found: clients add other words or filters.
const foundMax = 1_000;

/** The values that files must have besides the words. */
interface TextFilters {
  deleted: boolean;
  entityType?: string | undefined;
  entityId?: string | undefined;
  contentType?: string | undefined;
  status?: string | undefined;
  tag?: string | undefined;
  /** Only files of this user, and those of the teams. */
  userId?: number | undefined;
  teamIds?: readonly number[] | undefined;
}

/** The newest files with the values of the filters whose text has the words of a search. */
export async function filesWithText(tx: Tx, search: string, filters: TextFilters): Promise<number[]> {
  const rows = await tx.sql<{ id: number }>`
    SELECT id FROM find_files_by_words(${search}, ${JSON.stringify(filters)}::jsonb, ${foundMax}) AS id`;
  return rows.map(({ id }) => id);
}
