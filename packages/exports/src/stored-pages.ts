import { type Fragment, fragment, type Sql } from '@tandem/tenant-db';

// The pages of a file are rows of `export_chunk`, a table of each service with exports. They are stored in the scope of
// the tenant.

/** How far the pages of a file are stored. */
export interface StoredPages {
  /** The number of the next page. */
  number: number;
  /** The position in the records after which the next page begins. */
  last: number;
  /** How many rows are stored. */
  done: number;
}

const always = fragment`true`;

/** Reads how far a file is: the pages themselves are not read, because this happens every few seconds. */
export async function storedPages(sql: Sql, exportId: number): Promise<StoredPages> {
  const [stored] = await sql<StoredPages>`SELECT number + 1 AS number, last,
      (sum(coalesce(row_count, jsonb_array_length(rows))) OVER ())::int AS done
    FROM export_chunk WHERE job_id = ${exportId}::bigint ORDER BY export_chunk.number DESC LIMIT 1`;
  return stored ?? { number: 0, last: 0, done: 0 };
}

/**
 * @param page.rows the rows as JSON
 * @param page.traces for each row, the ids and addresses by which an erasure finds it, as JSON
 * @param onlyIf the condition under which the page is stored, as `page`
 * @returns whether it was stored
 */
export async function storePage(
  sql: Sql,
  page: { exportId: number; number: number; rows: string; traces: string; last: number },
  onlyIf: Fragment = always,
): Promise<boolean> {
  const { exportId, number, rows, traces, last } = page;
  const stored = await sql`INSERT INTO export_chunk (job_id, number, rows, traces, last, row_count)
    SELECT page.*, jsonb_array_length(page.rows) FROM (
      SELECT ${exportId}::bigint AS job_id, ${number}::int AS number, ${rows}::jsonb AS rows, ${traces}::jsonb AS traces,
        ${last}::bigint AS last) AS page
    WHERE ${onlyIf} RETURNING number`;
  return stored.length > 0;
}

/** The rows of a page; undefined after the last one. */
export async function readPage(sql: Sql, exportId: number, number: number): Promise<unknown[][] | undefined> {
  const [page] = await sql<{ rows: unknown[][] }>`SELECT rows FROM export_chunk
    WHERE job_id = ${exportId}::bigint AND number = ${number}::int`;
  return page?.rows;
}

// A statement that deletes more would take longer than statements may.
const removedMax = 200;

/** Removes the last pages of a file; resolves to whether none is left. */
export async function removePages(sql: Sql, exportId: number): Promise<boolean> {
  const removed = await sql`DELETE FROM export_chunk WHERE job_id = ${exportId}::bigint AND number = ANY(ARRAY(
    SELECT number FROM export_chunk WHERE job_id = ${exportId}::bigint ORDER BY number DESC
    LIMIT ${removedMax}::int)) RETURNING number`;
  return removed.length < removedMax;
}
