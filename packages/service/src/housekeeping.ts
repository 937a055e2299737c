import type { Log, Metrics } from '@tandem/process';
import { ResilientPool } from '@tandem/tenant-db';
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
// Longer than the statement timeout of the relay's role (8 s).
const queryTimeoutMs = 9_000;
const batchRows = 5_000;
const batchesMax = 100;

const platformTables: readonly Purge[] = [
  { table: 'platform.idempotency_key', column: 'created_at', days: 1 },
  { table: 'platform.inbox', column: 'received_at', days: 14 },
];

/**
 * Removes, every hour and across tenants, what is past its time: kept answers of Idempotency-Keys, the inbox of
 * consumers, and what the service declares. It works under the relay's role, which a policy lets see just the rows that are due. Batches keep each
 * transaction short, and their number is bounded, so that a backlog never holds up the service's own work for long.
 */
export function startHousekeeping(options: { url: string; purge: readonly Purge[]; log: Log; metrics: Metrics }) {
  const { url, purge, log, metrics } = options;
  const failures = metrics.counter('housekeeping_failures_total', 'Tables whose due rows could not be removed', [
    'table',
  ]);
  // From zero, so that the first failure is an increase for Prometheus.
  for (const { table } of [...platformTables, ...purge]) failures.inc({ table }, 0);
  const pool = new ResilientPool({
    connectionString: url,
    max: 1,
    idleTimeoutMillis: 1_000,
    query_timeout: queryTimeoutMs,
  });

  /** Resolves to whether all that is due is gone. */
  const removeDue = async (one: Purge): Promise<boolean> => {
    const text = 'statement' in one ? one.statement : oldestFirst(one);
    let rows = 0;
    let isDone = false;
    for (let batch = 0; batch < batchesMax && !isDone; batch++) {
      const removed = (await pool.query(text, [one.days, batchRows])).rowCount ?? 0;
      rows += removed;
      isDone = removed < batchRows;
    }
    if (rows) log.info('rows past their time removed', { table: one.table, rows });
    return isDone;
  };

  const run = async (): Promise<{ isDone: boolean; failed: string[] }> => {
    let isDone = true;
    const failed: string[] = [];
    for (const one of [...platformTables, ...purge]) {
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

  let timer: NodeJS.Timeout | undefined;
  const runIn = (ms: number) => {
    timer = setTimeout(async () => {
      const { isDone } = await run();
      if (timer) runIn(isDone ? everyMs : soonMs);
    }, ms).unref();
  };
  runIn(everyMs);
  return {
    /** Removes what is due now. Resolves to the tables where it could not. */
    run: async () => (await run()).failed,
    async close() {
      clearTimeout(timer);
      timer = undefined;
      await pool.end();
    },
  };
}

/** Reads nothing but the time that counts: it is all that the role may see. Rows of one moment go together. */
function oldestFirst({ table, column }: Purge & { column: string }): string {
  const [from, time] = [table.split('.').map(pg.escapeIdentifier).join('.'), pg.escapeIdentifier(column)];
  return `DELETE FROM ${from} WHERE ${time} <= (SELECT max(oldest.at) FROM (
    SELECT ${time} AS at FROM ${from} WHERE ${time} < now() - make_interval(days => $1) ORDER BY ${time} LIMIT $2) AS oldest)`;
}
