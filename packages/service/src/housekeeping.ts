import type { Log } from '@tandem/process';
import pg from 'pg';

/** Rows of one table that are removed once the time in a column is this many days past. */
export interface Purge {
  table: string;
  column: string;
  days: number;
}

const everyMs = 3_600_000;
const answersKeptHours = 24;

/**
 * Removes, every hour and across tenants, what is past its time: kept answers of Idempotency-Keys, and what the service
 * declares. It works under the relay's role, which a policy lets see just the rows that are due.
 */
export function startHousekeeping({ url, purge, log }: { url: string; purge: readonly Purge[]; log: Log }) {
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 2_000, idleTimeoutMillis: 1_000 });
  pool.on('error', () => {});

  const removeDue = async ({ table, column, days }: Purge) => {
    const text = `DELETE FROM ${pg.escapeIdentifier(table)}
      WHERE ${pg.escapeIdentifier(column)} < now() - make_interval(days => $1)`;
    const { rowCount } = await pool.query(text, [days]);
    if (rowCount) log.info('rows past their time removed', { table, rows: rowCount });
  };

  const run = async () => {
    try {
      await pool.query(
        `DELETE FROM platform.idempotency_key WHERE created_at < now() - make_interval(hours => ${answersKeptHours})`,
      );
      for (const one of purge) await removeDue(one);
    } catch (error) {
      // The next hour tries again; nothing depends on it.
      log.warn('housekeeping failed', { error });
    }
  };

  const timer = setInterval(run, everyMs);
  timer.unref();
  return {
    run,
    async close() {
      clearInterval(timer);
      await pool.end();
    },
  };
}
