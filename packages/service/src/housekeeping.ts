import type { Log, Metrics } from '@tandem/process';
import pg from 'pg';

/** Rows of one table that are deleted after this many days. */
export type Purge = { table: string; days: number } & (
  | {
      /** The timestamp that the age is measured by; must be the first column of an index. */
      column: string;
    }
  | {
      /**
       * For rows that cannot simply be deleted: one statement that removes at most $2 rows older than $1 days and
       * returns each.
       */
      statement: string;
    }
);

/** A statement that prepares tables for what is written next, such as one that creates partitions. It runs at the start and every hour. */
export interface Maintenance {
  name: string;
  statement: string;
}

const everyMs = 3_600_000;
// Delay until the next pass while rows are left over.
const soonMs = 60_000;
const batchRows = 5_000;
const batchesMax = 100;

const platformTables: readonly Purge[] = [
  { table: 'platform.idempotency_key', column: 'created_at', days: 1 },
  { table: 'platform.background_job', column: 'created_at', days: 30 },
  { table: 'platform.inbox', column: 'received_at', days: 14 },
];

/**
 * Deletes expired rows of all tenants every hour: stored Idempotency-Key responses, the consumer inbox, and the tables
 * that the service declares. It runs under the relay role, for which a policy exposes only expired rows. Small batches
 * keep transactions short, and their number is bounded, so a backlog never blocks the service for long. Instances
 * coordinate with a lock per table and skip a table that another instance is cleaning.
 * @param options.pool under the relay role; it stays open when housekeeping closes
 */
export function startHousekeeping(options: {
  pool: pg.Pool;
  purge: readonly Purge[];
  maintenance?: readonly Maintenance[];
  log: Log;
  metrics: Metrics;
}) {
  const { pool, purge, maintenance = [], log, metrics } = options;
  const failures = metrics.counter('housekeeping_failures_total', 'Failures to remove expired rows from a table', [
    'table',
  ]);
  const names = [...maintenance.map(({ name }) => name), ...[...platformTables, ...purge].map(({ table }) => table)];
  // Starts at zero, so that Prometheus sees the first failure as an increase.
  for (const table of names) failures.inc({ table }, 0);
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let inProgress: Promise<unknown> = Promise.resolve();

  /** Resolves to whether this table is done. */
  const removeDue = async (target: Purge): Promise<boolean> => {
    let rows = 0;
    let removed: number | 'busy' = batchRows;
    for (let batch = 0; batch < batchesMax && removed === batchRows && !isClosed; batch++) {
      removed = await removeBatch(pool, target);
      if (removed !== 'busy') rows += removed;
    }
    if (rows) log.info('expired rows removed', { table: target.table, rows });
    return removed !== batchRows;
  };

  /** Resolves to whether it succeeded. The next hourly run tries again; nothing depends on it. */
  const attempt = async (table: string, work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      log.warn('housekeeping failed', { table, error });
      failures.inc({ table });
      return false;
    }
  };

  const maintain = async (): Promise<string[]> => {
    const failed: string[] = [];
    for (const { name, statement } of maintenance) {
      const isDone = isClosed || (await attempt(name, async () => void (await pool.query(statement))));
      if (!isDone) failed.push(name);
    }
    return failed;
  };

  const run = async (): Promise<{ isDone: boolean; failed: string[] }> => {
    let isDone = true;
    const failed = await maintain();
    for (const target of [...platformTables, ...purge]) {
      if (isClosed) break;
      const succeeded = await attempt(target.table, async () => {
        isDone = (await removeDue(target)) && isDone;
      });
      if (!succeeded) failed.push(target.table);
    }
    return { isDone, failed };
  };

  const runIn = (ms: number) => {
    timer = setTimeout(async () => {
      const pass = run();
      inProgress = pass;
      const { isDone } = await pass;
      if (!isClosed) runIn(isDone ? everyMs : soonMs);
    }, ms).unref();
  };
  inProgress = maintain();
  // Jitter: instances that started together run at different times.
  runIn(everyMs * (0.5 + Math.random() / 2));
  return {
    /** Deletes expired rows now. Resolves to the tables where this failed. */
    run: async () => {
      await inProgress;
      return (await run()).failed;
    },
    /** Ends after the batch in progress. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      await inProgress;
    },
  };
}

/** Deletes one batch; resolves to the number of rows, or to `busy` when another instance is cleaning this table. */
async function removeBatch(pool: pg.Pool, target: Purge): Promise<number | 'busy'> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query('BEGIN');
    // A transaction-level lock works behind a pooler in transaction mode.
    const lock = await client.query<{ isMine: boolean }>(
      `SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS "isMine"`,
      [`housekeeping ${target.table}`],
    );
    const removed = lock.rows[0]?.isMine
      ? await client.query('statement' in target ? target.statement : oldestFirst(target), [target.days, batchRows])
      : undefined;
    await client.query('COMMIT');
    return removed ? (removed.rowCount ?? 0) : 'busy';
  } catch (error) {
    // Closing the connection rolls back.
    failure = error as Error;
    throw error;
  } finally {
    client.release(failure);
  }
}

/**
 * Reads only the timestamp, because the role may see nothing else. Rows with the same timestamp are deleted together.
 */
function oldestFirst({ table, column }: Purge & { column: string }): string {
  const [from, time] = [table.split('.').map(pg.escapeIdentifier).join('.'), pg.escapeIdentifier(column)];
  return `DELETE FROM ${from} WHERE ${time} <= (SELECT max(oldest.at) FROM (
    SELECT ${time} AS at FROM ${from} WHERE ${time} < now() - make_interval(days => $1) ORDER BY ${time} LIMIT $2) AS oldest)`;
}
