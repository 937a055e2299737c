import type { BeginOutgoing } from '@tandem/events';
import { currentTrace, type Log, type Metrics, traceparentOf } from '@tandem/process';
import type { TenantDb } from '@tandem/tenant-db';
import { type Job as BullJob, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { type Dispatcher, type Queued, startDispatcher } from './dispatch.ts';
import type { BatchContext, Inside, Job, Schedule } from './job.ts';
import { type JobObserver, type JobOutcome, observeJobs } from './observe.ts';
import { createSlots, type Outside } from './slots.ts';

export interface Scheduler {
  /** Scheduling for one transaction. */
  scheduling(): Scheduling;
  close(): Promise<void>;
}

export interface Scheduling {
  schedule: Schedule;
  /** Says that the transaction was committed: what it scheduled is looked for when it is due. */
  committed(): void;
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
  outgoing: BeginOutgoing;
  /** How many jobs may wait for something outside at once; none by default. */
  outsideMax?: number | undefined;
}

// Jobs that work at once. They share the connections to the database with the requests of the service.
const concurrency = 20;

// What runs together is gathered for so long; requests come first meanwhile.
const gatherMs = 200;
const closeMs = 3_000;
const attemptsMax = 10;
const leaseSecondsDefault = 60;

/**
 * Starts the jobs of a service: a dispatcher that moves due rows into Redis, and a worker that runs them.
 * @param options.relayUrl under the role that sees jobs of all tenants, but nothing else of theirs
 */
export function startJobs<Tx>(options: Options<Tx>): Scheduler {
  const { service, db, jobs } = options;
  let dispatcher: Dispatcher | undefined;
  const scheduling = (): Scheduling => {
    let firstDue = Number.POSITIVE_INFINITY;
    return {
      async schedule(job, payloads, dueAt = new Date()) {
        const texts = payloads.map((payload) => JSON.stringify(z.encode(job.payload, payload as never)));
        const runsTogether = jobs.some(({ name, batchMax }) => name === job.name && batchMax > 1);
        const at = runsTogether ? new Date(Math.ceil(dueAt.getTime() / gatherMs) * gatherMs) : dueAt;
        firstDue = Math.min(firstDue, at.getTime());
        const trace = currentTrace();
        const queued = db.tx.sql`INSERT INTO platform.job (name, payload, due_at, traceparent)
            SELECT ${job.name}, unnest(${texts}::jsonb[]), ${at}::timestamptz, ${trace ? traceparentOf(trace) : null}`;
        // Nobody reads what it answers, and in a transaction its failure is one of the commit: it travels with what follows.
        if (db.inTransaction()) queued.catch(() => {});
        else await queued;
      },
      committed() {
        if (firstDue < Number.POSITIVE_INFINITY) dispatcher?.wakeAt(new Date(firstDue));
      },
    };
  };
  if (!jobs.length) return { scheduling, close: async () => {} };

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
  const { outsideMax = 0 } = options;
  const observer = observeJobs(options.metrics);
  const slots = createSlots(concurrency, outsideMax);
  const worker = new Worker(
    service,
    (job: BullJob<Queued>) =>
      slots.run((outside) => runJobs(job.data, options, { outside, observer, wakeAt: (at) => dispatcher?.wakeAt(at) })),
    {
      connection: connections[1] as never,
      prefix,
      concurrency: concurrency + outsideMax,
      lockDuration: 30_000,
    },
  );
  const note = (error: Error) => void options.log.debug('job queue', { error });
  queue.on('error', note);
  worker.on('error', note);

  dispatcher = startDispatcher(queue, connections[0] as Redis, options);
  return {
    scheduling,
    async close() {
      await dispatcher?.close();
      // Without Redis neither can say goodbye; the rows say what is to be done.
      await Promise.race([
        Promise.all([worker.close(), queue.close()]),
        new Promise((resolve) => setTimeout(resolve, closeMs).unref()),
      ]);
      for (const connection of connections) connection.disconnect();
    },
  };
}

/** Runs those of some jobs that are still to be run. Whoever finds one taken, finished or not yet due leaves it alone. */
async function runJobs<Tx>(
  { ids, scope }: Queued,
  options: Options<Tx>,
  { outside, observer, wakeAt }: { outside: Outside; observer: JobObserver; wakeAt: (at: Date) => void },
): Promise<void> {
  const { db, log, outgoing, service, jobs } = options;
  const requestId = `job_${ids[0]}`;
  const taken = await db.within(scope, () => take(db, ids, jobs));
  const job = jobs.find(({ name }) => name === taken[0]?.name);
  if (!job) return;
  await observer.run({ job: job.name, requestId, scope, rows: taken }, async (): Promise<JobOutcome> => {
    const commit = async (effects: (inside: Inside<Tx>) => Promise<(Date | undefined)[]>) => {
      const caller = { type: 'system' as const, name: service, permissions: [], requestId, ...scope };
      const { emit, schedule, written, committed } = outgoing(caller, scope);
      const again = await db.transaction(scope, () => effects({ tx: db.tx as Tx, emit, schedule }), written);
      committed();
      for (const at of again) if (at) wakeAt(at);
    };
    let finished = false;
    const finish: BatchContext<unknown, Tx>['finish'] = (effects) => {
      finished = true;
      return commit(async (inside) => {
        const again = await effects(inside);
        await end(db, taken, again);
        return again;
      });
    };
    // Several were never tried before, so it is one number for all.
    const attempts = taken[0]?.attempts ?? 0;
    try {
      if (attempts >= attemptsMax) throw new Error('The last run did not finish');
      const due = taken.map(({ payload, attempts }) => ({
        payload: z.decode(job.payload, payload as never),
        attempts,
      }));
      await db.within(scope, () => job.run({ due, tx: db.tx as Tx, outside, finish }));
      if (!finished) await finish(async () => []);
      return 'finished';
    } catch (error) {
      log.warn('job failed', { job: job.name, jobs: taken.length, attempts, error });
      if (attempts + 1 < attemptsMax) {
        await db.within(scope, () => postpone(db, taken, error));
        return 'retried';
      }
      await commit(async (inside) => {
        await bury(db, taken, error);
        for (const { payload } of taken) {
          const { success, data } = z.safeDecode(job.payload, payload as never);
          if (success) await job.giveUp?.({ payload: data, ...inside });
        }
        return [];
      });
      return 'dead';
    }
  });
}

interface Taken {
  id: number;
  name: string;
  payload: unknown;
  attempts: number;
  traceparent: string | null;
  /** When it was due, in milliseconds. */
  due: number;
  /** Until when, to the microsecond: what only this run knows. */
  lease: string;
}

/** A run counts as a try from its beginning, as one that takes its process along says nothing at its end. */
function take<Tx>(db: TenantDb<unknown>, ids: number[], jobs: readonly Job<z.ZodType, Tx>[]): Promise<Taken[]> {
  const longest = Math.max(...jobs.map((job) => job.leaseSeconds ?? leaseSecondsDefault));
  return db.tx.sql<Taken>`UPDATE platform.job
    SET state = 'running', attempts = attempts + 1, lease_until = now() + make_interval(secs => ${longest}::int)
    WHERE id = ANY(${ids}::bigint[]) AND state = 'queued'
    RETURNING id, name, payload, attempts - 1 AS attempts, lease_until::text AS lease, traceparent,
      (extract(epoch FROM due_at) * 1000)::float AS due`;
}

/** @throws when this run took so long that another has begun: then its effects are undone, and those of the other stay. */
async function end(db: TenantDb<unknown>, taken: Taken[], again: (Date | undefined)[]): Promise<void> {
  const lease = taken[0]?.lease;
  const ended = taken.filter((_, index) => !again[index]).map(({ id }) => id);
  const going = taken.flatMap(({ id }, index) => (again[index] ? { id, at: again[index] } : []));
  const gone = ended.length
    ? await db.tx.sql`DELETE FROM platform.job
        WHERE id = ANY(${ended}::bigint[]) AND state = 'running' AND lease_until = ${lease}::timestamptz RETURNING id`
    : [];
  const waiting = going.length
    ? await db.tx.sql`UPDATE platform.job SET state = 'waiting', due_at = going.at, attempts = 0, lease_until = NULL
        FROM unnest(${going.map(({ id }) => id)}::bigint[], ${going.map(({ at }) => at)}::timestamptz[]) AS going (id, at)
        WHERE job.id = going.id AND state = 'running' AND lease_until = ${lease}::timestamptz RETURNING job.id`
    : [];
  if (gone.length + waiting.length < taken.length) throw new Error('The lease ended before the run');
}

/** Doubles the pause from one second. */
async function postpone(db: TenantDb<unknown>, taken: Taken[], error: unknown): Promise<void> {
  const attempts = (taken[0]?.attempts ?? 0) + 1;
  await db.tx.sql`UPDATE platform.job SET state = 'waiting', error = ${textOf(error)}, lease_until = NULL,
    due_at = now() + make_interval(secs => ${2 ** Math.min(attempts, 9)}::int)
    WHERE id = ANY(${taken.map(({ id }) => id)}::bigint[]) AND state = 'running'
      AND lease_until = ${taken[0]?.lease}::timestamptz`;
}

/** After the last attempt the row stays as dead, with the reason. */
async function bury(db: TenantDb<unknown>, taken: Taken[], error: unknown): Promise<void> {
  const dead = await db.tx.sql`UPDATE platform.job SET state = 'dead', error = ${textOf(error)}, lease_until = NULL
    WHERE id = ANY(${taken.map(({ id }) => id)}::bigint[]) AND state = 'running'
      AND lease_until = ${taken[0]?.lease}::timestamptz RETURNING id`;
  if (dead.length < taken.length) throw new Error('The lease ended before the run');
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}
