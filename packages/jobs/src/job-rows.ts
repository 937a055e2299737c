import type { Sql } from '@tandem/tenant-db';

/** A row that one run has under its lease. */
export interface LeasedRow {
  id: number;
  payload: unknown;
  /** How often it was tried before. */
  attempts: number;
  /** Until when, to the microsecond: only this run knows it, so it identifies the run. */
  lease: string;
  /** The trace that scheduled the job. */
  traceparent: string | null;
  /** When it was due, in milliseconds. */
  due: number;
}

/**
 * Takes the rows that are still to be run: a row that another run has, that ended or that waits again is left alone.
 * The attempt counts from here on, because a run that ends together with its process cannot count it later.
 */
export function takeRows(sql: Sql, ids: readonly number[], leaseSeconds: number): Promise<LeasedRow[]> {
  return sql<LeasedRow>`UPDATE platform.job
    SET state = 'running', attempts = attempts + 1, lease_until = now() + make_interval(secs => ${leaseSeconds}::int)
    WHERE id = ANY(${ids}::bigint[]) AND state = 'queued'
    RETURNING id, payload, attempts - 1 AS attempts, lease_until::text AS lease, traceparent,
      (extract(epoch FROM due_at) * 1000)::float AS due`;
}

/**
 * Removes the rows, except for those that are to run again at a time.
 * @throws when this run took so long that another has begun, which undoes its effects: those of the other run stay
 */
export async function endRows(
  sql: Sql,
  rows: readonly LeasedRow[],
  runAgainAt: readonly (Date | undefined)[],
): Promise<void> {
  const ended = rows.filter((_, index) => !runAgainAt[index]);
  const again = rows.flatMap(({ id }, index) => (runAgainAt[index] ? { id, at: runAgainAt[index] } : []));
  const lease = rows[0]?.lease;
  const removed = ended.length
    ? await sql`DELETE FROM platform.job
        WHERE id = ANY(${idsOf(ended)}::bigint[]) AND state = 'running' AND lease_until = ${lease}::timestamptz RETURNING id`
    : [];
  const kept = again.length
    ? await sql`UPDATE platform.job SET state = 'waiting', due_at = again.at, attempts = 0, lease_until = NULL
        FROM unnest(${idsOf(again)}::bigint[], ${again.map(({ at }) => at)}::timestamptz[]) AS again (id, at)
        WHERE job.id = again.id AND state = 'running' AND lease_until = ${lease}::timestamptz RETURNING job.id`
    : [];
  refuseLostLease(rows, removed.length + kept.length);
}

/** Lets rows that failed wait for their next attempt. */
export async function postponeRows(
  sql: Sql,
  rows: readonly LeasedRow[],
  { error, pauseSeconds }: { error: string; pauseSeconds: number },
): Promise<void> {
  await sql`UPDATE platform.job SET state = 'waiting', error = ${error}, lease_until = NULL,
    due_at = now() + make_interval(secs => ${pauseSeconds}::int)
    WHERE id = ANY(${idsOf(rows)}::bigint[]) AND state = 'running' AND lease_until = ${rows[0]?.lease}::timestamptz`;
}

/**
 * Keeps rows as dead, with the reason.
 * @throws when another run has begun
 */
export async function buryRows(sql: Sql, rows: readonly LeasedRow[], error: string): Promise<void> {
  const dead = await sql`UPDATE platform.job SET state = 'dead', error = ${error}, lease_until = NULL
    WHERE id = ANY(${idsOf(rows)}::bigint[]) AND state = 'running' AND lease_until = ${rows[0]?.lease}::timestamptz
    RETURNING id`;
  refuseLostLease(rows, dead.length);
}

function refuseLostLease(rows: readonly LeasedRow[], changed: number): void {
  if (changed < rows.length) throw new Error('The lease ended before the run');
}

function idsOf(rows: readonly { id: number }[]): number[] {
  return rows.map(({ id }) => id);
}
