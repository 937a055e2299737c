import { type Log, type Metrics, readEvery } from '@tandem/process';
import { ResilientPool, type Scope, watchPool } from '@tandem/tenant-db';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type pg from 'pg';
import type { z } from 'zod';
import type { Job } from './job.ts';

/** What stands in Redis for jobs that run together. */
export interface Queued {
  ids: number[];
  scope: Scope;
}

interface DueRow {
  id: number;
  name: string;
  tenant_id: number;
  environment: Scope['environment'];
  attempts: number;
  /** When it was due, in microseconds. */
  due: number;
}

interface Options<Tx> {
  jobs: readonly Job<z.ZodType, Tx>[];
  relayUrl: string;
  log: Log;
  metrics: Metrics;
}

// Longer than the statement timeout of the relay's role (8 s).
const queryTimeoutMs = 9_000;
const sweepMs = 1_000;
// Between two looks: in a stream of commits, or of rows that fall due one after another, one look is for several.
const pauseMinMs = 20;
const dispatchMax = 500;
// A job queued this long ago without having begun was lost with Redis (T5 allows 60 s).
const lostAfterSeconds = 30;

export interface Dispatcher {
  /** Looks for due rows at this time, unless it will look before. */
  wakeAt(at: Date): void;
  close(): Promise<void>;
}

/** Puts due rows, and rows whose run was lost, into Redis; the row remembers since when. */
export function startDispatcher<Tx>(queue: Queue, redis: Redis, options: Options<Tx>): Dispatcher {
  const pool = new ResilientPool({ connectionString: options.relayUrl, max: 2, query_timeout: queryTimeoutMs });
  let running = true;
  let timer: NodeJS.Timeout | undefined;
  let busy: Promise<void> | undefined;
  let again = false;
  let wakesAt = Number.POSITIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const names = options.jobs.map((job) => job.name);

  const dispatch = async (): Promise<number> => {
    if (redis.status !== 'ready') return 0;
    const { rows } = await pool.query<DueRow>({ name: 'due', text: takeDueSql, values: [names] });
    if (!rows.length) return 0;
    try {
      // After the commit: a worker is quick enough to look for the row before, and would take it for somebody else's.
      await queue.addBulk(batches(rows, options.jobs).map(queueEntry));
    } catch (error) {
      await pool.query(putBackSql, [rows.map(({ id }) => id)]);
      throw error;
    }
    return rows.length;
  };

  const loop = async () => {
    let pauseMs = sweepMs;
    do {
      again = false;
      try {
        if ((await dispatch()) === dispatchMax) again = true;
        else pauseMs = await untilNext();
      } catch (error) {
        options.log.warn('job dispatch failed, will retry', { error });
        pauseMs = sweepMs;
        again = false;
      }
    } while (again && running);
    wakeAt(new Date(Date.now() + pauseMs));
  };

  /** How long until the next row is due, by the clock of the database; at most until the next sweep. */
  const untilNext = async (): Promise<number> => {
    if (redis.status !== 'ready') return sweepMs;
    const { rows } = await pool.query<{ ms: number | null }>({ name: 'next', text: nextDueSql, values: [names] });
    return Math.min(Math.max(rows[0]?.ms ?? sweepMs, pauseMinMs), sweepMs);
  };

  const wakeAt = (at: Date) => {
    if (!running || at.getTime() >= wakesAt) return;
    clearTimeout(timer);
    wakesAt = at.getTime();
    timer = setTimeout(
      () => {
        wakesAt = Number.POSITIVE_INFINITY;
        wake();
      },
      // A timer for what is due in weeks would overflow.
      Math.min(Math.max(wakesAt - Date.now(), 0), sweepMs),
    );
  };

  const wake = () => {
    const pauseMs = lookedAt + pauseMinMs - performance.now();
    if (pauseMs > 0) return wakeAt(new Date(Date.now() + pauseMs));
    lookedAt = performance.now();
    clearTimeout(timer);
    wakesAt = Number.POSITIVE_INFINITY;
    again = true;
    busy ??= loop().finally(() => {
      busy = undefined;
    });
  };
  wake();
  watchPool(options.metrics, 'jobs', pool);
  watch(pool, options.metrics);

  return {
    wakeAt,
    async close() {
      running = false;
      clearTimeout(timer);
      await busy;
      await pool.end();
    },
  };
}

const takeDueSql = `
  UPDATE platform.job SET state = 'queued', queued_at = now(), lease_until = NULL WHERE id IN (
    SELECT id FROM platform.job WHERE name = ANY($1) AND (
      (state = 'waiting' AND due_at <= now())
      OR (state = 'queued' AND queued_at < now() - make_interval(secs => ${lostAfterSeconds}))
      OR (state = 'running' AND lease_until < now()))
    ORDER BY due_at LIMIT ${dispatchMax} FOR UPDATE SKIP LOCKED)
  RETURNING id, name, tenant_id, environment, attempts, (extract(epoch FROM due_at) * 1000000)::bigint AS due`;

const nextDueSql = `SELECT (extract(epoch FROM min(due_at) - now()) * 1000)::float AS ms
  FROM platform.job WHERE state = 'waiting' AND name = ANY($1)`;

// One that reached a worker all the same is running by now and stays with it.
const putBackSql = `UPDATE platform.job SET state = 'waiting', queued_at = NULL WHERE id = ANY($1) AND state = 'queued'`;

/** Those that run together: of one kind and tenant, and never tried before. */
function batches(rows: DueRow[], jobs: readonly Pick<Job, 'name' | 'batchMax'>[]): DueRow[][] {
  const together = Map.groupBy(rows, ({ id, name, tenant_id, environment, attempts }) =>
    attempts ? id : `${name}/${tenant_id}/${environment}`,
  );
  return [...together.values()].flatMap((group) => {
    const size = jobs.find(({ name }) => name === group[0]?.name)?.batchMax ?? 1;
    return Array.from({ length: Math.ceil(group.length / size) }, (_, n) => group.slice(n * size, (n + 1) * size));
  });
}

function queueEntry(batch: DueRow[]) {
  const { id, name, tenant_id, environment, due, attempts } = batch[0] as DueRow;
  const data: Queued = { ids: batch.map(({ id }) => id), scope: { tenantId: tenant_id, environment } };
  // BullMQ leaves out what it has: a row that only waits its turn in a long queue is there once, however often it is put in.
  const jobId = `${id}-${due}-${attempts}-${batch.length}`;
  return { name, data, opts: { jobId, removeOnComplete: true, removeOnFail: true } };
}

// Counting costs time in proportion, and a number this large says enough.
const jobsMax = 100_000;
const backlogEverySeconds = 15;
// Each state has a partial index, which is used only when the state is a constant.
const countSql = ['waiting', 'queued', 'running', 'dead']
  .map((state) => {
    const some = `SELECT FROM platform.job WHERE state = '${state}' LIMIT ${jobsMax}`;
    return `SELECT '${state}' AS state, (SELECT count(*)::int FROM (${some}) AS counted) AS jobs`;
  })
  .join(' UNION ALL ');
const overdueSql = `SELECT coalesce(extract(epoch FROM now() - least(
    (SELECT min(due_at) FROM platform.job WHERE state = 'waiting' AND due_at <= now()),
    (SELECT min(queued_at) FROM platform.job WHERE state = 'queued'))), 0)::float AS seconds`;

function watch(pool: pg.Pool, metrics: Metrics): void {
  const counts = readEvery(
    backlogEverySeconds,
    async () => (await pool.query<{ state: string; jobs: number }>(countSql)).rows,
  );
  metrics.gauge('jobs', `Jobs by state, each counted up to ${jobsMax}`, ['state'], async (gauge) => {
    for (const { state, jobs } of await counts()) gauge.set({ state }, jobs);
  });
  metrics.gauge(
    'jobs_overdue_seconds',
    'How long the oldest job that is due has waited for its run',
    [],
    async (gauge) => {
      const { rows } = await pool.query<{ seconds: number }>(overdueSql);
      gauge.set(rows[0]?.seconds ?? 0);
    },
  );
}
