import { type Metrics, readEvery } from '@tandem/process';
import type pg from 'pg';

// A backlog is not counted completely at every scrape; its lag shows how bad it is.
const countMax = 10_000;
const countEverySeconds = 15;
const states = ['waiting', 'queued', 'running', 'paused', 'dead'] as const;

// One query per state, because each state has a partial index.
const countSql = states
  .map(
    (state) => `SELECT '${state}' AS state, count(*)::int AS jobs
      FROM (SELECT FROM platform.job WHERE state = '${state}' LIMIT ${countMax}) AS ${state}`,
  )
  .join(' UNION ALL ');
const overdueSql = `SELECT coalesce(extract(epoch FROM now() - least(
    (SELECT min(due_at) FROM platform.job WHERE state = 'waiting' AND due_at <= now()),
    (SELECT min(queued_at) FROM platform.job WHERE state = 'queued'))), 0)::float AS seconds`;

/** Exports the number of jobs and their lag. */
export function watchJobs(pool: pg.Pool, metrics: Metrics): void {
  const counts = readEvery(
    countEverySeconds,
    async () => (await pool.query<{ state: string; jobs: number }>(countSql)).rows,
  );
  metrics.gauge('jobs', `Jobs by state, each counted up to ${countMax}`, ['state'], async (gauge) => {
    for (const { state, jobs } of await counts()) gauge.set({ state }, jobs);
  });
  metrics.gauge('jobs_overdue_seconds', 'Time that the oldest due job has been waiting to run', [], async (gauge) => {
    const { rows } = await pool.query<{ seconds: number }>(overdueSql);
    gauge.set(rows[0]?.seconds ?? 0);
  });
}
