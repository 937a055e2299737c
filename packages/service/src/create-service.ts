import { createCallerSigner } from '@tandem/caller';
import type { Operations } from '@tandem/contract';
import {
  type BeginOutgoing,
  type Consumer,
  connectBroker,
  declaredConsumers,
  defaultTimings,
  type EventTimings,
  emitter,
  startConsumers,
  startRelay,
} from '@tandem/events';
import { type Job, startJobs } from '@tandem/jobs';
import {
  createHealth,
  createLog,
  createMetrics,
  type Health,
  type Log,
  type Metrics,
  type ShutdownStep,
  shutdownLimits,
} from '@tandem/process';
import { createSeal } from '@tandem/sealed';
import { startTelemetry } from '@tandem/telemetry';
import {
  createRelayPool,
  createTenantDb,
  inBackground,
  type Narrowing,
  type TenantDb,
  type Tx,
} from '@tandem/tenant-db';
import type { Express } from 'express';
import { createCursors } from './cursors.ts';
import { createFirstUse } from './first-use.ts';
import type { Handlers } from './handler.ts';
import { type Purge, startHousekeeping } from './housekeeping.ts';
import { createApp } from './http.ts';
import type { Parts } from './parts.ts';
import { type SealedColumn, startResealing } from './reseal.ts';
import type { ServiceSettings } from './settings.ts';

type Adapter = Parameters<Parameters<typeof createTenantDb>[0]['client']>[0];

/** All that a service is: what it offers, the code behind it, what it reacts to and what it runs later. */
export interface ServiceDefinition<Ops extends Operations, Client, Settings extends ServiceSettings> {
  name: string;
  operations: Ops;
  handlers: Handlers<Ops, Tx<Client>>;
  // biome-ignore lint/suspicious/noExplicitAny: each consumer and job has types of its own.
  consumers?: readonly Consumer<any, Tx<Client>>[];
  /** Shorter times of the event path, for tests. */
  eventTimings?: Partial<EventTimings>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  jobs?: readonly Job<any, Tx<Client>>[];
  /** How many jobs may wait for something outside at once, beside those that work. */
  jobsOutsideMax?: number;
  client: (adapter: Adapter) => Client;
  /** The `Prisma` namespace of the generated client. */
  prisma: object;
  /**
   * Which records of each tenant model a caller reaches who is narrowed to own or team records. Needed as soon as an
   * operation narrows.
   */
  narrowing?: Readonly<Record<string, Narrowing>>;
  /** Rows that are removed for good once they are so many days old. */
  purge?: readonly Purge[];
  /** Columns that hold sealed values: they are sealed again when the encryption key changes. */
  sealed?: readonly SealedColumn[];
  /** What every tenant has from the start, in each environment; runs once, in a transaction before its first request. */
  firstUse?: (tx: Tx<Client>) => Promise<void>;
  /** Declares metrics of the service's own. */
  measure?: (metrics: Metrics) => void;
  settings: Settings;
  /** Closes what the service opened itself. */
  close?: () => void | Promise<void>;
}

export interface RunningService {
  app: Express;
  db: TenantDb<unknown>;
  log: Log;
  health: Health;
  /** Removes what is past its time, as happens every hour. */
  housekeep(): Promise<string[]>;
  /** Seals stored values again that are not under the current key, as happens every 5 minutes. */
  reseal(): Promise<void>;
  /** Whether every consumer's queue exists. */
  consuming(): boolean;
  /** What ends the service after its HTTP server: consumers, jobs, relay, then the stores. */
  closing: ShutdownStep[];
  /** Runs all of `closing`. */
  close(): Promise<void>;
}

/**
 * Connects the parts of a service without listening.
 * @throws when an operation has no handler, a handler no operation, or the narrowing is missing or contradictory
 */
export function createService<Ops extends Operations, Client, Settings extends ServiceSettings>(
  definition: ServiceDefinition<Ops, Client, Settings>,
): RunningService {
  const { name, operations, handlers, settings, consumers = [], jobs = [] } = definition;
  checkComplete(definition);
  const log = createLog(name);
  const metrics = createMetrics(name);
  definition.measure?.(metrics);
  const telemetry = startTelemetry({ service: name, log, metrics });
  const health = createHealth();
  const prismaQueries = metrics.counter(
    'prisma_queries_total',
    "Queries that go through Prisma's engine, at several times the cost of a direct one",
    ['model', 'operation'],
  );
  const db = createTenantDb<Client>({
    url: settings.DATABASE_URL,
    poolMax: settings.DATABASE_POOL_MAX,
    backgroundMax: settings.DATABASE_BACKGROUND_MAX,
    client: definition.client,
    prisma: definition.prisma,
    narrowing: definition.narrowing,
    namedStatements: settings.DATABASE_NAMED_STATEMENTS,
    metrics,
    throughPrisma: (model, operation) => prismaQueries.inc({ model, operation }),
  });
  const broker = connectBroker({ url: settings.AMQP_URL, namespace: settings.NAMESPACE, log });
  const relayPool = createRelayPool(settings.RELAY_DATABASE_URL, settings.RELAY_DATABASE_POOL_MAX);
  const timings = { ...defaultTimings, ...definition.eventTimings };
  const relay = startRelay({ pool: relayPool, broker, timings, log, metrics });
  const outgoing: BeginOutgoing = (caller, scope) => {
    const { emit, written, count } = emitter(caller, scope);
    const { schedule, committed } = scheduler.scheduling();
    const wake = () => {
      if (count()) relay.wake();
      committed();
    };
    return { emit, schedule, written, committed: wake };
  };
  const scheduler = startJobs({
    service: name,
    jobs,
    db: inBackground(db),
    relayPool,
    redisUrl: settings.REDIS_JOBS_URL,
    namespace: settings.NAMESPACE,
    log,
    metrics,
    outgoing,
    outsideMax: definition.jobsOutsideMax,
  });
  const stopConsuming = new AbortController();
  const consumption = startConsumers({
    service: name,
    consumers: consumers as readonly Consumer[],
    db: inBackground(db, stopConsuming.signal),
    broker,
    outgoing,
    timings,
    log,
    metrics,
  });
  const housekeeping = startHousekeeping({ pool: relayPool, purge: definition.purge ?? [], log, metrics });
  const seal = createSeal(settings.ENCRYPTION_KEY);
  const resealing = startResealing({ pool: relayPool, seal, columns: definition.sealed ?? [], log, metrics });
  health.need('postgres', () => db.ping().then(() => true));
  // Only the first start of a consumer makes its queue; a broker that is away later holds no request up.
  health.need('consumers', () => consumption.declared() || broker.away());

  const closing: ShutdownStep[] = [
    {
      name: 'consumers',
      withinMs: shutdownLimits.consumersMs,
      async run() {
        housekeeping.close();
        resealing.close();
        const consumed = consumption.close();
        // Batches that wait for a connection are delivered again, to another process or after the start.
        stopConsuming.abort(new Error('The service stops'));
        await consumed;
      },
    },
    { name: 'jobs', withinMs: shutdownLimits.jobsMs, run: () => scheduler.close() },
    {
      name: 'relay',
      withinMs: shutdownLimits.relayMs,
      async run() {
        await relay.close();
        await broker.close();
      },
    },
    {
      name: 'stores',
      withinMs: shutdownLimits.storesMs,
      async run() {
        await Promise.all([db.close(), relayPool.end()]);
        await definition.close?.();
        await telemetry.close();
      },
    },
  ];

  const parts: Parts = {
    ...{ db: db as TenantDb<unknown>, log, metrics, health, outgoing },
    declaredConsumers: declaredConsumers(broker.names, name, consumers as readonly Consumer[]),
    firstUse: definition.firstUse && createFirstUse(db as TenantDb<unknown>, definition.firstUse as never),
    signer: createCallerSigner(settings.INTERNAL_SECRETS),
    seal,
    cursors: createCursors(settings.INTERNAL_SECRETS),
  };
  return {
    app: createApp(operations, handlers as never, parts),
    db: parts.db,
    log,
    health,
    housekeep: housekeeping.run,
    reseal: resealing.run,
    consuming: consumption.declared,
    closing,
    async close() {
      for (const step of closing) await step.run();
    },
  };
}

function checkComplete<Ops extends Operations, Client, Settings extends ServiceSettings>({
  name,
  operations,
  handlers,
  narrowing,
}: ServiceDefinition<Ops, Client, Settings>): void {
  const missing = Object.keys(operations).filter((id) => !(id in handlers));
  const idle = Object.keys(handlers).filter((id) => !(id in operations));
  if (missing.length) throw new Error(`${name}: no handler for ${missing.join(', ')}`);
  if (idle.length) throw new Error(`${name}: no operation for ${idle.join(', ')}`);
  const narrows = Object.values(operations).find((row) => row.narrows);
  if (narrows && !narrowing) throw new Error(`${name}: ${narrows.id} narrows, but the service declares no narrowing`);
}
