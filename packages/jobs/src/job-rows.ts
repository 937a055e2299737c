import type { Sql } from '@tandem/tenant-db';

/** Rows that one run has leased. */
export interface Leased {
  rows: LeasedRow[];
  /** End of the lease, to the microsecond: only this run knows it, so it identifies the run. Changes when it is renewed. */
  until: string;
}

export interface LeasedRow {
  id: number;
  payload: unknown;
  /** Number of earlier attempts. */
  attempts: number;
  /** The trace that scheduled the job. */
  traceparent: string | null;
  /** When it fell due, in milliseconds. */
  due: number;
}

/**
 * Leases the rows that are still to run: a row that another run has, that ended or that waits again is skipped. The
 * attempt is counted here, because a run that ends with its process cannot count it later.
 * @returns undefined when no row is still to run
 */
export async function takeRows(sql: Sql, ids: readonly number[], leaseSeconds: number): Promise<Leased | undefined> {
  const taken = await sql<LeasedRow & { until: string }>`UPDATE platform.job
    SET state = 'running', attempts = attempts + 1, lease_until = now() + make_interval(secs => ${leaseSeconds}::int)
    WHERE id = ANY(${ids}::bigint[]) AND state = 'queued'
    RETURNING id, payload, attempts - 1 AS attempts, lease_until::text AS until, traceparent,
      (extract(epoch FROM due_at) * 1000)::float AS due`;
  const [first] = taken;
  return first && { rows: taken, until: first.until };
}

/** Extends the lease; resolves to whether the run still has all of its rows. */
export async function renewLease(sql: Sql, leased: Leased, leaseSeconds: number): Promise<boolean> {
  const renewed = await sql<{ until: string }>`UPDATE platform.job
    SET lease_until = now() + make_interval(secs => ${leaseSeconds}::int)
    WHERE id = ANY(${idsOf(leased.rows)}::bigint[]) AND state = 'running' AND lease_until = ${leased.until}::timestamptz
    RETURNING lease_until::text AS until`;
  leased.until = renewed[0]?.until ?? leased.until;
  return renewed.length === leased.rows.length;
}

/**
 * Deletes the rows, except for those to run again at a later time.
 * @throws when the lease expired and another run has begun, which rolls back the effects of this run
 */
export async function endRows(
  sql: Sql,
  { rows, until }: Leased,
  runAgainAt: readonly (Date | undefined)[],
): Promise<void> {
  const ended = rows.filter((_, index) => !runAgainAt[index]);
  const again = rows.flatMap(({ id }, index) => (runAgainAt[index] ? { id, at: runAgainAt[index] } : []));
  const removed = ended.length
    ? await sql`DELETE FROM platform.job
        WHERE id = ANY(${idsOf(ended)}::bigint[]) AND state = 'running' AND lease_until = ${until}::timestamptz RETURNING id`
    : [];
  const kept = again.length
    ? await sql`UPDATE platform.job SET state = 'waiting', due_at = again.at, attempts = 0, lease_until = NULL
        FROM unnest(${idsOf(again)}::bigint[], ${again.map(({ at }) => at)}::timestamptz[]) AS again (id, at)
        WHERE job.id = again.id AND state = 'running' AND lease_until = ${until}::timestamptz RETURNING job.id`
    : [];
  rejectLostLease(rows, removed.length + kept.length);
}

/** Lets rows that failed wait for their next attempt. */
export async function postponeRows(
  sql: Sql,
  { rows, until }: Leased,
  { error, pauseSeconds }: { error: string; pauseSeconds: number },
): Promise<void> {
  await sql`UPDATE platform.job SET state = 'waiting', error = ${error}, lease_until = NULL,
    due_at = now() + make_interval(secs => ${pauseSeconds}::int)
    WHERE id = ANY(${idsOf(rows)}::bigint[]) AND state = 'running' AND lease_until = ${until}::timestamptz`;
}

/**
 * Keeps rows as dead, with the reason.
 * @throws when another run has begun
 */
export async function buryRows(sql: Sql, { rows, until }: Leased, error: string): Promise<void> {
  const dead = await sql`UPDATE platform.job SET state = 'dead', error = ${error}, lease_until = NULL
    WHERE id = ANY(${idsOf(rows)}::bigint[]) AND state = 'running' AND lease_until = ${until}::timestamptz
    RETURNING id`;
  rejectLostLease(rows, dead.length);
}

function rejectLostLease(rows: readonly LeasedRow[], changed: number): void {
  if (changed < rows.length) throw new Error('The lease expired before the run ended');
}

function idsOf(rows: readonly { id: number }[]): number[] {
  return rows.map(({ id }) => id);
}
