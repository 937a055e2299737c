import type { Log, Metrics } from '@tandem/process';
import pg from 'pg';

/** Rows of one table that are removed once they are this many days old. */
export type Purge = { table: string; days: number } & (
  | {
      /** The time that counts; an index has to begin with it. */
      column: string;
    }
  | {
      /** For rows that cannot simply go: one statement that removes at most $2 of those older than $1 days and returns each. */
      statement: string;
    }
);

const everyMs = 3_600_000;
// While more is due than one pass removes, the next one comes soon.
const soonMs = 60_000;
const batchRows = 5_000;
const batchesMax = 100;

const platformTables: readonly Purge[] = [
  { table: 'platform.idempotency_key', column: 'created_at', days: 1 },
  { table: 'platform.inbox', column: 'received_at', days: 14 },
];

/**
 * Removes, every hour and across tenants, what is past its time: kept answers of Idempotency-Keys, the inbox of
 * consumers, and what the service declares. It works under the relay's role, which a policy lets see just the rows that are
 * due. Batches keep each transaction short, and their number is bounded, so that a backlog never delays the service's own
 * work for long. Instances of a service take turns by table: a table that another instance works on is left to it.
 * @param options.pool under the relay's role; it stays open when housekeeping closes
 */
export function startHousekeeping(options: { pool: pg.Pool; purge: readonly Purge[]; log: Log; metrics: Metrics }) {
  const { pool, purge, log, metrics } = options;
  const failures = metrics.counter('housekeeping_failures_total', 'Tables whose due rows could not be removed', [
    'table',
  ]);
  // From zero, so that the first failure is an increase for Prometheus.
  for (const { table } of [...platformTables, ...purge]) failures.inc({ table }, 0);
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  /** Resolves to whether nothing is left to do here. */
  const removeDue = async (one: Purge): Promise<boolean> => {
    let rows = 0;
    let removed: number | 'busy' = batchRows;
    for (let batch = 0; batch < batchesMax && removed === batchRows && !isClosed; batch++) {
      removed = await removeBatch(pool, one);
      if (removed !== 'busy') rows += removed;
    }
    if (rows) log.info('rows past their time removed', { table: one.table, rows });
    return removed !== batchRows;
  };

  const run = async (): Promise<{ isDone: boolean; failed: string[] }> => {
    let isDone = true;
    const failed: string[] = [];
    for (const one of [...platformTables, ...purge]) {
      if (isClosed) break;
      try {
        isDone = (await removeDue(one)) && isDone;
      } catch (error) {
        // The next hour tries again; nothing depends on it.
        log.warn('housekeeping failed', { table: one.table, error });
        failures.inc({ table: one.table });
        failed.push(one.table);
      }
    }
    return { isDone, failed };
  };

  const runIn = (ms: number) => {
    timer = setTimeout(async () => {
      const { isDone } = await run();
      if (!isClosed) runIn(isDone ? everyMs : soonMs);
    }, ms).unref();
  };
  // Instances that were started together work at different times.
  runIn(everyMs * (0.5 + Math.random() / 2));
  return {
    /** Removes what is due now. Resolves to the tables where it could not. */
    run: async () => (await run()).failed,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Removes one batch; resolves to how many rows, or to `busy` when another instance removes rows of this table. */
async function removeBatch(pool: pg.Pool, one: Purge): Promise<number | 'busy'> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query('BEGIN');
    // The lock ends with the transaction, so that it works behind a pooler in transaction mode.
    const lock = await client.query<{ isMine: boolean }>(
      `SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS "isMine"`,
      [`housekeeping ${one.table}`],
    );
    const removed = lock.rows[0]?.isMine
      ? await client.query('statement' in one ? one.statement : oldestFirst(one), [one.days, batchRows])
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

/** Reads nothing but the time that counts: it is all that the role may see. Rows of one moment go together. */
function oldestFirst({ table, column }: Purge & { column: string }): string {
  const [from, time] = [table.split('.').map(pg.escapeIdentifier).join('.'), pg.escapeIdentifier(column)];
  return `DELETE FROM ${from} WHERE ${time} <= (SELECT max(oldest.at) FROM (
    SELECT ${time} AS at FROM ${from} WHERE ${time} < now() - make_interval(days => $1) ORDER BY ${time} LIMIT $2) AS oldest)`;
}
