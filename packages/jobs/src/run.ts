import { randomUUID } from 'node:crypto';
import { emitter } from '@tandem/events';
import { type Log, type Metrics, newTrace, withTrace } from '@tandem/process';
import type { Scope, TenantDb } from '@tandem/tenant-db';
import { type Job as BullJob, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { z } from 'zod';
import type { Job, Schedule } from './job.ts';

export interface Scheduler {
  schedule: Schedule;
  /** Says that something was committed: due jobs are looked for at once. */
  wake(): void;
  close(): Promise<void>;
}

interface Options<Tx> {
  service: string;
  jobs: readonly Job<z.ZodType, Tx>[];
  db: TenantDb<unknown>;
  relayUrl: string;
  redisUrl: string;
  namespace: string;
  log: Log;
  metrics: Metrics;
  onCommit: () => void;
  concurrency?: number;
}

interface Queued {
  id: number;
  scope: Scope;
}

const sweepMs = 1_000;
// Between two looks for rows that fall due one after another.
const pauseMinMs = 20;
const batchMax = 500;
const closeMs = 3_000;
// A job queued this long ago without having begun was lost with Redis (T5 allows 60 s).
const lostAfterSeconds = 30;
const attemptsMax = 10;
const leaseSecondsDefault = 60;

/**
 * Starts the jobs of a service: a dispatcher that moves due rows into Redis, and a worker that runs them.
 * @param options.relayUrl under the role that sees jobs of all tenants, but nothing else of theirs
 */
export function startJobs<Tx>(options: Options<Tx>): Scheduler {
  const { service, db } = options;
  const schedule: Schedule = async (job, payloads, dueAt = new Date()) => {
    const texts = payloads.map((payload) => JSON.stringify(z.encode(job.payload, payload as never)));
    await db.tx
      .sql`INSERT INTO platform.job (name, payload, due_at) SELECT ${job.name}, unnest(${texts}::jsonb[]), ${dueAt}::timestamptz`;
  };
  if (!options.jobs.length) return { schedule, wake() {}, close: async () => {} };

  const connect = () =>
    new Redis(options.redisUrl, {
      maxRetriesPerRequest: null,
      enableOfflineQueue: true,
      retryStrategy: (times) => Math.min(times * 100, 2_000),
    });
  const connections = [connect(), connect()];
  // ioredis reconnects by itself; without a listener each failure would end the process.
  for (const connection of connections) connection.on('error', () => {});
  // One hash tag: BullMQ's scripts touch several keys, which Redis Cluster allows only in one slot.
  const prefix = `{${options.namespace}}`;
  const queue = new Queue(service, { connection: connections[0] as never, prefix });
  const worker = new Worker(
    service,
    (job: BullJob<Queued>) => runJob(job.data, options, schedule, (at) => dispatcher.wakeAt(at)),
    {
      connection: connections[1] as never,
      prefix,
      concurrency: options.concurrency ?? 20,
      lockDuration: 30_000,
    },
  );
  const note = (error: Error) => void options.log.debug('job queue', { error });
  queue.on('error', note);
  worker.on('error', note);

  const dispatcher = startDispatcher(queue, connections[0] as Redis, options);
  watch(dispatcher.pool, options.metrics);
  return {
    schedule,
    wake: dispatcher.wake,
    async close() {
      await dispatcher.close();
      // Without Redis neither can say goodbye; the rows say what is to be done.
      await Promise.race([
        Promise.all([worker.close(), queue.close()]),
        new Promise((resolve) => setTimeout(resolve, closeMs).unref()),
      ]);
      for (const connection of connections) connection.disconnect();
    },
  };
}

/** Puts due rows, and rows whose run was lost, into Redis; the row remembers since when. */
function startDispatcher<Tx>(queue: Queue, redis: Redis, options: Options<Tx>) {
  const pool = new pg.Pool({ connectionString: options.relayUrl, max: 2, connectionTimeoutMillis: 2_000 });
  pool.on('error', () => {});
  let running = true;
  let timer: NodeJS.Timeout | undefined;
  let busy: Promise<void> | undefined;
  let again = false;
  let wakesAt = Number.POSITIVE_INFINITY;
  const names = options.jobs.map((job) => job.name);

  const dispatch = async (): Promise<number> => {
    if (redis.status !== 'ready') return 0;
    const { rows } = await pool.query({ name: 'due', text: takeDueSql, values: [names] });
    if (!rows.length) return 0;
    try {
      // After the commit: a worker is quick enough to look for the row before, and would take it for somebody else's.
      await queue.addBulk(rows.map(queueEntry));
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
        if ((await dispatch()) === batchMax) again = true;
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

  /** Looks for due rows at this time, unless it will look before. */
  const wakeAt = (at: Date) => {
    if (!running || at.getTime() >= wakesAt) return;
    clearTimeout(timer);
    wakesAt = at.getTime();
    timer = setTimeout(wake, Math.max(wakesAt - Date.now(), 0));
  };

  const wake = () => {
    clearTimeout(timer);
    wakesAt = Number.POSITIVE_INFINITY;
    again = true;
    busy ??= loop().finally(() => {
      busy = undefined;
    });
  };
  wake();

  return {
    pool,
    wake,
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
    ORDER BY due_at LIMIT ${batchMax} FOR UPDATE SKIP LOCKED)
  RETURNING id, name, tenant_id, environment`;

const nextDueSql = `SELECT (extract(epoch FROM min(due_at) - now()) * 1000)::float AS ms
  FROM platform.job WHERE state = 'waiting' AND name = ANY($1)`;

// One that reached a worker all the same is running by now and stays with it.
const putBackSql = `UPDATE platform.job SET state = 'waiting', queued_at = NULL WHERE id = ANY($1) AND state = 'queued'`;

function queueEntry(row: { id: number; name: string; tenant_id: number; environment: Scope['environment'] }) {
  const data: Queued = { id: row.id, scope: { tenantId: row.tenant_id, environment: row.environment } };
  return { name: row.name, data, opts: { jobId: randomUUID(), removeOnComplete: true, removeOnFail: true } };
}

/** Runs one job if it is still to be run. Whoever finds it taken, finished or not yet due leaves it alone. */
async function runJob<Tx>(
  { id, scope }: Queued,
  options: Options<Tx>,
  schedule: Schedule,
  wakeAt: (at: Date) => void,
): Promise<void> {
  const { db, log, onCommit, service } = options;
  const requestId = `job_${id}`;
  await withTrace(newTrace(requestId), async () => {
    const taken = await db.within(scope, () => take(db, id, options.jobs));
    if (!taken) return;
    const { job, payload, attempts } = taken;
    let finished = false;
    // biome-ignore lint/suspicious/noConfusingVoidType: see JobContext.
    const finish = async (effects: (inside: never) => Promise<Date | void>) => {
      finished = true;
      const due: Date[] = [];
      const caller = { type: 'system' as const, name: service, permissions: [], requestId, ...scope };
      const { emit, written } = emitter(caller, scope);
      const work = async () => {
        const scheduling: Schedule = async (job, payloads, dueAt = new Date()) => {
          await schedule(job, payloads, dueAt);
          due.push(dueAt);
        };
        const again = await effects({ tx: db.tx, emit, schedule: scheduling } as never);
        if (again) due.push(again);
        await end(db, id, again ?? undefined);
      };
      await db.transaction(scope, work, written);
      onCommit();
      for (const at of due) wakeAt(at);
    };
    try {
      await db.within(scope, () => job.run({ payload, attempts, tx: db.tx as Tx, finish }));
      if (!finished) await finish(async () => {});
    } catch (error) {
      log.warn('job failed', { job: job.name, attempts, error });
      await db.within(scope, () => postpone(db, id, attempts + 1, error));
    }
  });
}

async function take<Tx>(db: TenantDb<unknown>, id: number, jobs: readonly Job<z.ZodType, Tx>[]) {
  const longest = Math.max(...jobs.map((job) => job.leaseSeconds ?? leaseSecondsDefault));
  const [row] = await db.tx.sql<{ name: string; payload: unknown; attempts: number }>`UPDATE platform.job
    SET state = 'running', lease_until = now() + make_interval(secs => ${longest}::int)
    WHERE id = ${id} AND state = 'queued' RETURNING name, payload, attempts`;
  const job = jobs.find((one) => one.name === row?.name);
  return row && job && { job, payload: z.decode(job.payload, row.payload as never), attempts: row.attempts };
}

async function end(db: TenantDb<unknown>, id: number, again: Date | undefined): Promise<void> {
  if (!again) await db.tx.sql`DELETE FROM platform.job WHERE id = ${id}`;
  else
    await db.tx
      .sql`UPDATE platform.job SET state = 'waiting', due_at = ${again}, attempts = 0, lease_until = NULL WHERE id = ${id}`;
}

/** Doubles the pause from one second; after the last attempt the row stays as dead, with the reason. */
async function postpone(db: TenantDb<unknown>, id: number, attempts: number, error: unknown): Promise<void> {
  const text = (error instanceof Error ? error.message : String(error)).slice(0, 500);
  const state = attempts >= attemptsMax ? 'dead' : 'waiting';
  await db.tx
    .sql`UPDATE platform.job SET state = ${state}, attempts = ${attempts}::int, error = ${text}, lease_until = NULL,
    due_at = now() + make_interval(secs => ${2 ** Math.min(attempts, 9)}::int) WHERE id = ${id}`;
}

function watch(pool: pg.Pool, metrics: Metrics): void {
  metrics.gauge('jobs', 'Jobs by state', ['state'], async (gauge) => {
    const { rows } = await pool.query('SELECT state, count(*)::int AS jobs FROM platform.job GROUP BY state');
    gauge.reset();
    for (const { state, jobs } of rows) gauge.set({ state }, jobs);
  });
}
