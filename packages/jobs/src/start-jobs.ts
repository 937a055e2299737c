import type { BeginOutgoing } from '@tandem/events';
import type { Log, Metrics } from '@tandem/process';
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
  /** How many jobs may wait for external systems at once; none by default. */
  outsideMax?: number | undefined;
}

// Jobs of a process that run at once.
const concurrency = 20;
// Entries that wait in Redis: enough to keep workers busy between two polls of the dispatcher, few enough that a tenant
// whose job has just become due does not wait long behind them.
const entriesMax = 2 * concurrency;
const closeMs = 3_000;

/**
 * Starts the jobs of a service: a dispatcher that moves due rows into Redis, and a worker that runs them.
 * @param options.relayPool under the relay role, which sees jobs of all tenants; it stays open when the jobs close
 */
export function startJobs<Client>(options: Options<Client>): Scheduler {
  const { service, db, jobs, log, outsideMax = 0 } = options;
  if (!jobs.length) return { scheduling: () => createScheduling(db, jobs, () => {}), close: async () => {} };

  const connections = [connectRedis(options.redisUrl, log), connectRedis(options.redisUrl, log)] as const;
  // One hash tag: BullMQ's scripts touch several keys, which Redis Cluster allows only in one slot.
  const prefix = `{${options.namespace}}`;
  const queue = new Queue<Entry>(service, { connection: connections[0], prefix });
  const dispatcher = startDispatcher({
    rows: createDueRows(
      options.relayPool,
      jobs.map(({ name }) => name),
    ),
    queue,
    isRedisReady: () => connections[0].status === 'ready',
    batchMaxOf: (name) => jobs.find((job) => job.name === name)?.batchMax ?? 1,
    entriesMax,
    log,
  });
  const { wakeAt } = dispatcher;
  const observer = observeJobs(options.metrics);
  const { outgoing, relayPool } = options;
  const runner: Runner<Client> = { service, jobs, db, relayPool, outgoing, log, observer, wakeAt };
  const slots = createSlots(concurrency, outsideMax);
  const worker = new Worker(
    service,
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
  watchJobs(options.relayPool, options.metrics);

  return {
    scheduling: () => createScheduling(db, jobs, wakeAt),
    async close() {
      await dispatcher.close();
      // Without Redis neither can close gracefully; the rows keep the state of the jobs.
      await Promise.race([
        Promise.all([worker.close(), queue.close()]),
        new Promise((resolve) => setTimeout(resolve, closeMs).unref()),
      ]);
      for (const connection of connections) connection.disconnect();
    },
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
