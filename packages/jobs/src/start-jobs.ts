import type { BeginOutgoing } from '@tandem/events';
import type { Log, Metrics, RequestRate } from '@tandem/process';
import type { TenantDb, Tx } from '@tandem/tenant-db';
import { type Job as BullJob, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type pg from 'pg';
import type { z } from 'zod';
import { startDispatcher } from './dispatch.ts';
import { createDueRows } from './due-rows.ts';
import type { Entry } from './entries.ts';
import type { Job } from './job.ts';
import { watchJobs } from './job-metrics.ts';
import { observeJobs } from './observe.ts';
import { type Runner, runEntry } from './run-entry.ts';
import { createScheduling, type Scheduling } from './scheduling.ts';
import { createSlots } from './slots.ts';

export interface Scheduler {
  /** Starts the scheduling of one transaction. */
  scheduling(): Scheduling;
  /** Stops the dispatcher, waits up to 3 s for running jobs, and closes the connections to Redis. */
  close(): Promise<void>;
}

interface Options<Client> {
  service: string;
  jobs: readonly Job<z.ZodType, Tx<Client>>[];
  db: TenantDb<Client>;
  relayPool: pg.Pool;
  redisUrl: string;
  namespace: string;
  log: Log;
  metrics: Metrics;
  outgoing: BeginOutgoing;
  /** The requests of the process, for which jobs that work in portions make room; none by default. */
  requests?: Pick<RequestRate, 'perSecond'> | undefined;
  /** How many jobs may wait for external systems at once; none by default. */
  outsideMax?: number | undefined;
}

// Jobs of a process that run at once.
const concurrency = 20;
// The same for each lane. Its jobs keep their places while they wait for external systems.
const laneConcurrency = 8;
const closeMs = 3_000;

/**
 * Starts the jobs of a service: for each lane, and for all jobs without one, a dispatcher that moves due rows into Redis,
 * and a worker that runs them.
 * @param options.relayPool under the relay role, which sees jobs of all tenants; it stays open when the jobs close
 */
export function startJobs<Client>(options: Options<Client>): Scheduler {
  const { service, db, jobs, log, outsideMax = 0, outgoing, relayPool, requests } = options;
  if (!jobs.length) return { scheduling: () => createScheduling(db, jobs, () => {}), close: async () => {} };

  const connections = [connectRedis(options.redisUrl, log), connectRedis(options.redisUrl, log)] as const;
  const laneOf = new Map<string, Lane>();
  const wakeAt = (at: Date, name: string) => laneOf.get(name)?.wakeAt(at);
  const observer = observeJobs(options.metrics);
  const runner: Runner<Client> = { service, jobs, db, relayPool, outgoing, requests, log, observer, wakeAt };
  const lanes = [...Map.groupBy(jobs, ({ lane }) => lane)].map(([name, ofLane]) => {
    const places = name === undefined ? { concurrency, outsideMax } : { concurrency: laneConcurrency, outsideMax: 0 };
    const queueName = name === undefined ? service : `${service}-${name}`;
    const lane = startLane({ ...options, jobs: ofLane }, { queueName, connections, runner, ...places });
    for (const job of ofLane) laneOf.set(job.name, lane);
    return lane;
  });
  watchJobs(options.relayPool, options.metrics);

  return {
    scheduling: () => createScheduling(db, jobs, wakeAt),
    async close() {
      await Promise.all(lanes.map((lane) => lane.stop()));
      // Without Redis none can close gracefully; the rows keep the state of the jobs.
      await Promise.race([
        Promise.all(lanes.map((lane) => lane.close())),
        new Promise((resolve) => setTimeout(resolve, closeMs).unref()),
      ]);
      for (const connection of connections) connection.disconnect();
    },
  };
}

interface Lane {
  /** Checks for due rows at this time at the latest. */
  wakeAt(at: Date): void;
  /** Stops the dispatcher. */
  stop(): Promise<void>;
  /** Waits for running jobs. */
  close(): Promise<unknown>;
}

interface LaneParts<Client> {
  queueName: string;
  connections: readonly [Redis, Redis];
  /** Knows all jobs of the service: an instance of another release may have put any of them into this queue. */
  runner: Runner<Client>;
  concurrency: number;
  outsideMax: number;
}

function startLane<Client>({ jobs, relayPool, namespace, log }: Options<Client>, parts: LaneParts<Client>): Lane {
  const { queueName, connections, runner, concurrency, outsideMax } = parts;
  // One hash tag: BullMQ's scripts touch several keys, which Redis Cluster allows only in one slot.
  const prefix = `{${namespace}}`;
  const queue = new Queue<Entry>(queueName, { connection: connections[0], prefix });
  const dispatcher = startDispatcher({
    rows: createDueRows(
      relayPool,
      jobs.map(({ name }) => name),
    ),
    queue,
    isRedisReady: () => connections[0].status === 'ready',
    batchMaxOf: (name) => jobs.find((job) => job.name === name)?.batchMax ?? 1,
    // Entries that wait in Redis: enough to keep workers busy between two polls of the dispatcher, few enough that a
    // tenant whose job has just become due does not wait long behind them.
    entriesMax: 2 * concurrency,
    log,
  });
  const slots = createSlots(concurrency, outsideMax);
  const worker = new Worker(
    queueName,
    ({ name, data }: BullJob<Entry>) => {
      dispatcher.entryTaken();
      const { tenantId, environment } = data.scope;
      return slots.run(`${tenantId}/${environment}`, (outside) => runEntry({ name, ...data }, runner, outside));
    },
    { connection: connections[1], prefix, concurrency: concurrency + outsideMax, lockDuration: 30_000 },
  );
  const logError = (error: Error) => void log.debug('job queue', { error });
  queue.on('error', logError);
  worker.on('error', logError);
  return {
    wakeAt: dispatcher.wakeAt,
    stop: dispatcher.close,
    close: () => Promise.all([worker.close(), queue.close()]),
  };
}

function connectRedis(url: string, log: Log): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    enableOfflineQueue: true,
    retryStrategy: (times) => Math.min(times * 100, 2_000),
  });
  // ioredis reconnects by itself; without a listener each failure would crash the process.
  redis.on('error', (error) => void log.debug('job queue', { error }));
  return redis;
}
