import { inTurns } from '@tandem/process';
import type { Fragment, Sql } from '@tandem/tenant-db';
import { storedPages, storePage } from './stored-pages.ts';
import { traceOf } from './traces.ts';

/** A page of records, and the position after which the next one begins; null after the last record. */
export interface RecordPage<Row> {
  rows: Row[];
  next: number | null;
}

interface Writing<Row> {
  sql: Sql;
  exportId: number;
  /** Reads the records after a position, in an order that does not change. */
  read(last: number): Promise<RecordPage<Row>>;
  /** Writes a record as a row, and leaves it with the ids that clients know. */
  toRow(record: Row): unknown[];
  rowsMax: number;
  /** Writes the progress after each page. */
  onPage(progress: { done: number; bytes: number }): Promise<void>;
  /** The condition under which pages are stored; the run ends when it is not met. */
  onlyIf?: Fragment;
  /** Whether the run ends before the next page, to be continued by another one. */
  isOver?: (bytes: number) => boolean;
}

/** How a run ended: `too_many` when more than `rowsMax` records match, `stopped` by `onlyIf` or `isOver`. */
export interface Written {
  end: 'complete' | 'too_many' | 'stopped';
  done: number;
}

/** Stores the records of an export page by page. A run after a crash continues after the last page that was stored. */
export async function writePages<Row>(writing: Writing<Row>): Promise<Written> {
  const { sql, exportId, read, toRow, rowsMax, onPage, onlyIf, isOver = () => false } = writing;
  let { number, last, done } = await storedPages(sql, exportId);
  let bytes = 0;
  for (; ; number++) {
    const { rows, next } = await read(last);
    if (done + rows.length > rowsMax) return { end: 'too_many', done };
    if (!rows.length && next === null) return { end: 'complete', done };
    const written = await inTurns(rows, (record) => ({ cells: toRow(record), trace: traceOf(record) }));
    const stored = JSON.stringify(written.map(({ cells }) => cells));
    const traces = JSON.stringify(written.map(({ trace }) => trace));
    // The last page has no next one; a run that continues after it finds no more records.
    last = next ?? Number.MAX_SAFE_INTEGER;
    if (!(await storePage(sql, { exportId, number, rows: stored, traces, last }, onlyIf)))
      return { end: 'stopped', done };
    done += rows.length;
    bytes += stored.length + traces.length;
    await onPage({ done, bytes });
    if (next === null) return { end: 'complete', done };
    if (isOver(bytes)) return { end: 'stopped', done };
  }
}
