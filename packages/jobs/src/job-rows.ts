import type { Sql } from '@tandem/tenant-db';
import type pg from 'pg';

const passOnSeconds = 1;
const otherReleaseSeconds = 10;
// As long as events of another release wait (packages/events).
const otherReleaseHours = 24;

/** Rows that one run has leased. */
export interface Leased {
  rows: LeasedRow[];
  /** When the rows were taken, to the microsecond: it identifies the run. */
  since: string;
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
 * Leases the rows that are due. Rows that another run has leased, that ended or that were postponed are skipped. Rows
 * of a suspended tenant are paused instead, and rows of a removed one deleted. The attempt is counted here, because a
 * run whose process crashes cannot count it later.
 * @returns undefined when no row is still to run
 */
export async function takeRows(
  sql: Sql,
  ids: readonly number[],
  { leaseSeconds, whileSuspended }: { leaseSeconds: number; whileSuspended: boolean },
): Promise<Leased | undefined> {
  const found = await sql<LeasedRow & { since: string; isPaused: boolean }>`WITH tenant AS (
      SELECT state <> 'active' AS is_paused, state = 'removed' AS is_removed FROM (
        SELECT CASE WHEN ${whileSuspended}::boolean THEN 'active' ELSE coalesce((SELECT state FROM platform.tenant_state
          WHERE tenant_id = platform.tenant_id()), 'active') END AS state) AS known),
    dropped AS (
      DELETE FROM platform.job USING tenant WHERE is_removed AND id = ANY(${ids}::bigint[]) AND job.state = 'queued')
    UPDATE platform.job
    SET state = CASE WHEN is_paused THEN 'paused' ELSE 'running' END, queued_at = now(),
      attempts = attempts + CASE WHEN is_paused THEN 0 ELSE 1 END,
      lease_until = CASE WHEN is_paused THEN NULL ELSE now() + make_interval(secs => ${leaseSeconds}::int) END
    FROM tenant WHERE NOT is_removed AND id = ANY(${ids}::bigint[]) AND state = 'queued'
    RETURNING id, payload, attempts - 1 AS attempts, queued_at::text AS since, traceparent,
      (extract(epoch FROM due_at) * 1000)::float AS due, is_paused AS "isPaused"`;
  const taken = found.filter(({ isPaused }) => !isPaused);
  const [first] = taken;
  return first && { rows: taken, since: first.since };
}

/**
 * Returns paused rows of the current tenant and environment to the waiting state, oldest first.
 * @returns how many, at most `most`
 */
export async function resumeRows(sql: Sql, most: number): Promise<number> {
  const resumed =
    await sql`UPDATE platform.job SET state = 'waiting', queued_at = NULL WHERE state = 'paused' AND id = ANY(ARRAY(
    SELECT id FROM platform.job WHERE state = 'paused' AND tenant_id = platform.tenant_id()
      AND environment = platform.environment() LIMIT ${most}::int)) RETURNING id`;
  return resumed.length;
}

/**
 * Extends the lease; resolves to whether the run still has all of its rows.
 * @param pool under the relay role: a run must not wait for its lease behind the work of other runs
 */
export async function renewLease(pool: pg.Pool, { rows, since }: Leased, leaseSeconds: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE platform.job SET lease_until = now() + make_interval(secs => $3)
     WHERE id = ANY($1::bigint[]) AND state = 'running' AND queued_at = $2::timestamptz`,
    [idsOf(rows), since, leaseSeconds],
  );
  return rowCount === rows.length;
}

/**
 * Deletes the rows, except for those to run again at a later time.
 * @throws when the lease expired and another run has begun, which rolls back the effects of this run
 */
export async function endRows(
  sql: Sql,
  { rows, since }: Leased,
  runAgainAt: readonly (Date | undefined)[],
): Promise<void> {
  const ended = rows.filter((_, index) => !runAgainAt[index]);
  const again = rows.flatMap(({ id }, index) => (runAgainAt[index] ? { id, at: runAgainAt[index] } : []));
  const removed = ended.length
    ? await sql`DELETE FROM platform.job
        WHERE id = ANY(${idsOf(ended)}::bigint[]) AND state = 'running' AND queued_at = ${since}::timestamptz RETURNING id`
    : [];
  const kept = again.length
    ? await sql`UPDATE platform.job SET state = 'waiting', due_at = again.at, attempts = 0, lease_until = NULL
        FROM unnest(${idsOf(again)}::bigint[], ${again.map(({ at }) => at)}::timestamptz[]) AS again (id, at)
        WHERE job.id = again.id AND state = 'running' AND queued_at = ${since}::timestamptz RETURNING job.id`
    : [];
  rejectLostLease(rows, removed.length + kept.length);
}

/** Returns entries of a kind that this release does not know, for an instance of another release. */
export async function passOn(sql: Sql, ids: readonly number[]): Promise<void> {
  await sql`UPDATE platform.job SET state = 'waiting', due_at = now() + make_interval(secs => ${passOnSeconds}::int)
    WHERE id = ANY(${ids}::bigint[]) AND state = 'queued'`;
}

/**
 * Lets rows wait whose payloads only another release can read. This does not count as an attempt.
 * @returns whether all rows are younger than a day; otherwise nothing changes
 */
export async function waitForRelease(sql: Sql, { rows, since }: Leased): Promise<boolean> {
  const waiting = await sql`UPDATE platform.job
    SET state = 'waiting', attempts = attempts - 1, lease_until = NULL,
      due_at = now() + make_interval(secs => ${otherReleaseSeconds}::int)
    WHERE id = ANY(${idsOf(rows)}::bigint[]) AND state = 'running' AND queued_at = ${since}::timestamptz
      AND created_at > now() - make_interval(hours => ${otherReleaseHours}::int) RETURNING id`;
  return waiting.length === rows.length;
}

/** Lets rows that failed wait for their next attempt. */
export async function postponeRows(
  sql: Sql,
  { rows, since }: Leased,
  { error, pauseSeconds }: { error: string; pauseSeconds: number },
): Promise<void> {
  await sql`UPDATE platform.job SET state = 'waiting', error = ${error}, lease_until = NULL,
    due_at = now() + make_interval(secs => ${pauseSeconds}::int)
    WHERE id = ANY(${idsOf(rows)}::bigint[]) AND state = 'running' AND queued_at = ${since}::timestamptz`;
}

/**
 * Keeps rows as dead, with the reason.
 * @throws when another run has begun
 */
export async function buryRows(sql: Sql, { rows, since }: Leased, error: string): Promise<void> {
  const dead = await sql`UPDATE platform.job SET state = 'dead', error = ${error}, lease_until = NULL
    WHERE id = ANY(${idsOf(rows)}::bigint[]) AND state = 'running' AND queued_at = ${since}::timestamptz
    RETURNING id`;
  rejectLostLease(rows, dead.length);
}

function rejectLostLease(rows: readonly LeasedRow[], changed: number): void {
  if (changed < rows.length) throw new Error('The lease expired before the run ended');
}

function idsOf(rows: readonly { id: number }[]): number[] {
  return rows.map(({ id }) => id);
}
