import type { Scope } from '@tandem/tenant-db';
import type pg from 'pg';

/** A row that was moved to Redis. */
export interface ClaimedRow {
  id: number;
  name: string;
  tenant_id: number;
  environment: Scope['environment'];
  attempts: number;
  /** When it fell due, in microseconds since 1970. */
  due: number;
}

/** The waiting jobs of one kind and tenant. */
export interface Group {
  name: string;
  tenant_id: number;
  environment: Scope['environment'];
}

/** The first rows of a group. */
export type Claim = Group & { rowsMax: number };

/** Up to this many due rows are read together; with more, tenants are visited one after the other. */
export const oldestMax = 100;
/** Maximum number of groups per poll. Each costs one index descent. */
export const visitsMax = 500;
// An entry that was queued this long ago and has not started was lost with Redis. Redis drops duplicates of an entry
// that still waits there, so queueing it once more has no effect.
const lostAfterSeconds = 30;
const requeueMax = 500;

const columns =
  'job.id, job.name, tenant_id, environment, attempts, (extract(epoch FROM due_at) * 1000000)::bigint AS due';

/**
 * The groups of the oldest due rows, with the number of rows of each. When there are fewer than `oldestMax` in total,
 * these are all due rows.
 */
export const oldestDueSql = `
  SELECT name, tenant_id, environment, count(*)::int AS rows FROM (
    SELECT name, tenant_id, environment FROM platform.job
    WHERE state = 'waiting' AND due_at <= now() AND name = ANY($1) ORDER BY due_at LIMIT ${oldestMax}) AS oldest
  GROUP BY name, tenant_id, environment`;

const firstAfter = (name: string, tenantId: string, environment: string) => `
  SELECT name, tenant_id, environment, due_at FROM platform.job
  WHERE state = 'waiting' AND (name, tenant_id, environment) > (${name}, ${tenantId}, ${environment})
  ORDER BY name, tenant_id, environment, due_at LIMIT 1`;

/** The groups after a position, and whether their oldest row is due: one index descent per group. */
export const visitGroupsSql = `
  WITH RECURSIVE visited AS (
    SELECT first.*, 1 AS visit FROM (${firstAfter('$1', '$2::bigint', '$3')}) AS first
    UNION ALL
    SELECT next.*, visit + 1 FROM visited
    CROSS JOIN LATERAL (${firstAfter('visited.name', 'visited.tenant_id', 'visited.environment')}) AS next
    WHERE visit < ${visitsMax})
  SELECT name, tenant_id, environment, due_at <= now() AS "isDue" FROM visited ORDER BY visit`;

/** Claims the oldest due rows of each group. Skips rows that another dispatcher is claiming. */
export const claimSql = `
  WITH due AS MATERIALIZED (
    SELECT first.id FROM unnest($1::text[], $2::bigint[], $3::text[], $4::int[]) AS claim (name, tenant_id, environment, rows_max)
    CROSS JOIN LATERAL (
      SELECT id FROM platform.job AS job
      WHERE state = 'waiting' AND job.name = claim.name AND job.tenant_id = claim.tenant_id
        AND job.environment = claim.environment AND due_at <= now()
      ORDER BY due_at LIMIT claim.rows_max FOR UPDATE SKIP LOCKED) AS first)
  UPDATE platform.job SET state = 'queued', queued_at = now(), lease_until = NULL
  FROM due WHERE job.id = due.id RETURNING ${columns}`;

/** Requeues rows whose entry or run was lost. */
const requeueSql = (isLost: string, oldestFirst: string) => `
  WITH lost AS MATERIALIZED (
    SELECT id FROM platform.job WHERE ${isLost} AND name = ANY($1)
    ORDER BY ${oldestFirst} LIMIT ${requeueMax} FOR UPDATE SKIP LOCKED)
  UPDATE platform.job SET state = 'queued', queued_at = now(), lease_until = NULL
  FROM lost WHERE job.id = lost.id RETURNING ${columns}`;

const requeueQueuedSql = requeueSql(
  `state = 'queued' AND queued_at < now() - make_interval(secs => ${lostAfterSeconds})`,
  'queued_at',
);
const requeueRunningSql = requeueSql(`state = 'running' AND lease_until < now()`, 'lease_until');

// An entry that reached a worker after all is running by now and stays with it.
const putBackSql = `UPDATE platform.job SET state = 'waiting', queued_at = NULL WHERE id = ANY($1) AND state = 'queued'`;

const nextDueSql = `SELECT (extract(epoch FROM min(due_at) - now()) * 1000)::float AS ms
  FROM platform.job WHERE state = 'waiting' AND name = ANY($1)`;

/** The waiting jobs of a service, as its dispatcher sees them. */
export interface DueRows {
  /** The groups of the oldest due rows. `isAll` when no other row is due. */
  oldestDue(): Promise<{ groups: (Group & { rows: number })[]; isAll: boolean }>;
  /** Visits the groups after `after`, or from the beginning. `isEnd` when there are no further groups. */
  visit(after: Group | undefined): Promise<{ due: Group[]; last: Group | undefined; isEnd: boolean }>;
  /** Marks due rows as queued. */
  claim(claims: readonly Claim[]): Promise<ClaimedRow[]>;
  /** Marks rows as queued whose entry in Redis or whose run was lost. */
  requeueLost(): Promise<ClaimedRow[]>;
  /** Returns queued rows to the waiting state. */
  putBack(rows: readonly ClaimedRow[]): Promise<void>;
  /** Milliseconds until the next row is due, by the clock of the database; negative when it is overdue. */
  untilNext(): Promise<number | undefined>;
}

/**
 * Creates the queries of the dispatcher.
 * @param pool under the relay role, which sees jobs of all tenants
 * @param names the kinds of jobs that this service runs
 */
export function createDueRows(pool: pg.Pool, names: readonly string[]): DueRows {
  return {
    async oldestDue() {
      const { rows: groups } = await pool.query<Group & { rows: number }>(oldestDueSql, [names]);
      const found = groups.reduce((sum, { rows }) => sum + rows, 0);
      return { groups, isAll: found < oldestMax };
    },
    async visit(after) {
      const values = after ? [after.name, after.tenant_id, after.environment] : ['', 0, ''];
      const { rows } = await pool.query<Group & { isDue: boolean }>(visitGroupsSql, values);
      const due = rows.filter(({ isDue, name }) => isDue && names.includes(name));
      return { due, last: rows.at(-1), isEnd: rows.length < visitsMax };
    },
    async claim(claims) {
      const values = [
        claims.map(({ name }) => name),
        claims.map(({ tenant_id }) => tenant_id),
        claims.map(({ environment }) => environment),
        claims.map(({ rowsMax }) => rowsMax),
      ];
      return (await pool.query<ClaimedRow>(claimSql, values)).rows;
    },
    async requeueLost() {
      const queued = await pool.query<ClaimedRow>(requeueQueuedSql, [names]);
      const running = await pool.query<ClaimedRow>(requeueRunningSql, [names]);
      return [...queued.rows, ...running.rows];
    },
    async putBack(rows) {
      await pool.query(putBackSql, [rows.map(({ id }) => id)]);
    },
    async untilNext() {
      const { rows } = await pool.query<{ ms: number | null }>(nextDueSql, [names]);
      return rows[0]?.ms ?? undefined;
    },
  };
}
