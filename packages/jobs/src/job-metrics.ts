import type { Metrics } from '@tandem/process';
import type pg from 'pg';

// A backlog is not counted to its end at every scrape; its lag says how bad it is.
const countMax = 10_000;
const states = ['waiting', 'queued', 'running', 'dead'] as const;

// Written out for each state: each has a partial index.
const countSql = states
  .map(
    (state) => `SELECT '${state}' AS state, count(*)::int AS jobs
      FROM (SELECT FROM platform.job WHERE state = '${state}' LIMIT ${countMax}) AS ${state}`,
  )
  .join(' UNION ALL ');
const lagSql = `SELECT greatest(extract(epoch FROM now() - min(due_at)), 0)::float AS seconds
  FROM platform.job WHERE state = 'waiting'`;

/** Shows how many jobs there are and how late they are. */
export function watchJobs(pool: pg.Pool, metrics: Metrics): void {
  metrics.gauge('jobs', `Jobs by state, counted up to ${countMax} each`, ['state'], async (gauge) => {
    const { rows } = await pool.query<{ state: string; jobs: number }>(countSql);
    for (const { state, jobs } of rows) gauge.set({ state }, jobs);
  });
  metrics.gauge('job_lag_seconds', 'How long the oldest due job has been waiting for Redis', [], async (gauge) => {
    const { rows } = await pool.query<{ seconds: number | null }>(lagSql);
    gauge.set(rows[0]?.seconds ?? 0);
  });
}
