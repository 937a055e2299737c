import type { Log, Metrics } from '@tandem/process';
import { keyOf, type Seal } from '@tandem/sealed';
import pg from 'pg';

/**
 * A column whose values `seal` wrote under the context `<context> <value of ref>`; null and the empty text mean no
 * value. A migration grants the relay role SELECT on `ref`, and SELECT and UPDATE on `column`, in all rows.
 */
export interface SealedColumn {
  table: string;
  column: string;
  context: string;
  /** A column that is unique and never changes. */
  ref: string;
}

export interface Reencryption {
  /** Re-encrypts every value that is not under the current key. */
  run(): Promise<void>;
  /** Ends after the batch in progress. */
  close(): Promise<void>;
}

const firstAfterMs = 10_000;
const everyMs = 300_000;
const batchRows = 500;

interface Row {
  ref: string;
  sealed: string;
}

/**
 * Re-encrypts stored values under the current key, 10 s after the start and then every 5 minutes, and counts values by key
 * (`tandem_sealed_values`). Once the count of a key is 0, that key can be removed from ENCRYPTION_KEY. Several
 * instances may run at once: an update applies only if the value is unchanged since it was read.
 */
export function startReencryption(options: {
  /** Connections under the relay role. */
  pool: pg.Pool;
  seal: Seal;
  columns: readonly SealedColumn[];
  log: Log;
  metrics: Metrics;
}): Reencryption {
  const { pool, seal, columns, log } = options;
  if (!columns.length) return { run: async () => {}, close: async () => {} };
  const values = options.metrics.gauge('sealed_values', 'Encrypted values in the database, by the id of their key', [
    'table',
    'column',
    'key',
  ]);

  let isClosed = false;
  const run = async () => {
    for (const column of columns) await reencryptColumn(column, { pool, seal, log, isClosed: () => isClosed });
    if (isClosed) return;
    const counts = await Promise.all(columns.map((column) => countByKey(pool, column)));
    values.reset();
    for (const [at, { table, column }] of columns.entries())
      for (const { key, count } of counts[at] ?? []) values.set({ table, column, key }, count);
  };

  let timer: NodeJS.Timeout | undefined;
  let inProgress = Promise.resolve();
  const runIn = (ms: number) => {
    timer = setTimeout(async () => {
      inProgress = run().catch((error: unknown) => void log.warn('re-encryption failed', { error }));
      await inProgress;
      if (!isClosed) runIn(everyMs);
    }, ms).unref();
  };
  runIn(firstAfterMs);
  return {
    run,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await inProgress;
    },
  };
}

async function reencryptColumn(
  column: SealedColumn,
  { pool, seal, log, isClosed }: { pool: pg.Pool; seal: Seal; log: Log; isClosed: () => boolean },
): Promise<void> {
  const { context } = column;
  const statements = statementsFor(column);
  let reencrypted = 0;
  const unreadable: { count: number; first?: Row } = { count: 0 };
  for (let after = ''; !isClosed(); ) {
    const { rows } = await pool.query<Row>(statements.read, [seal.currentKey, after, batchRows]);
    const last = rows.at(-1);
    if (!last) break;
    after = last.ref;
    const opened = rows.flatMap((row) => {
      const text = tryOpen(seal, row.sealed, `${context} ${row.ref}`);
      if (text !== undefined) return [{ ...row, again: seal.seal(text, `${context} ${row.ref}`) }];
      unreadable.count++;
      unreadable.first ??= row;
      return [];
    });
    const { rowCount } = await pool.query(statements.write, [
      opened.map(({ ref }) => ref),
      opened.map(({ sealed }) => sealed),
      opened.map(({ again }) => again),
    ]);
    reencrypted += rowCount ?? 0;
  }
  const { count, first } = unreadable;
  if (first)
    log.error('encrypted values cannot be decrypted', { ...column, count, first: first.ref, key: keyOf(first.sealed) });
  if (reencrypted) log.info('values re-encrypted with the current key', { ...column, reencrypted });
}

/**
 * Opens a value, or returns undefined. A value whose key is not listed stays unchanged, so that it opens once the key
 * is listed again.
 */
function tryOpen(seal: Seal, sealed: string, context: string): string | undefined {
  try {
    return seal.open(sealed, context);
  } catch {
    return undefined;
  }
}

async function countByKey(pool: pg.Pool, column: SealedColumn): Promise<{ key: string; count: number }[]> {
  const { rows } = await pool.query<{ key: string; count: number }>(statementsFor(column).count);
  return rows;
}

/** The SQL statements for one column. They extract the key as `keyOf` does; an empty text for a value without one. */
function statementsFor({ table, column, ref }: SealedColumn) {
  const from = table.split('.').map(pg.escapeIdentifier).join('.');
  const [value, row] = [column, ref].map(pg.escapeIdentifier);
  const key = `CASE WHEN strpos(${value}, '.') > 0 THEN split_part(${value}, '.', 1) ELSE '' END`;
  return {
    read: `SELECT ${row}::text AS ref, ${value} AS sealed FROM ${from}
      WHERE ${value} <> '' AND ${key} <> coalesce($1, '') AND ${row}::text > $2 ORDER BY ${row}::text LIMIT $3`,
    write: `UPDATE ${from} SET ${value} = given.again
      FROM unnest($1::text[], $2::text[], $3::text[]) AS given (ref, sealed, again)
      WHERE ${row}::text = given.ref AND ${value} = given.sealed`,
    count: `SELECT ${key} AS key, count(*)::int AS count FROM ${from} WHERE ${value} <> '' GROUP BY 1`,
  };
}
