import type { Operations } from '@tandem/contract';
import {
  type BeginOutgoing,
  type Broker,
  type Consumer,
  type Consumption,
  connectBroker,
  defaultTimings,
  emitter,
  startConsumers,
  startRelay,
} from '@tandem/events';
import { startJobs } from '@tandem/jobs';
import { type Log, type Metrics, type RequestRate, type ShutdownStep, shutdownLimits } from '@tandem/process';
import type { Seal } from '@tandem/sealed';
import { createRelayPool, inBackground, type TenantDb } from '@tandem/tenant-db';
import { startHousekeeping } from './housekeeping.ts';
import { startReencryption } from './re-encrypt.ts';
import type { ServiceDefinition } from './service-definition.ts';
import type { ServiceSettings } from './settings.ts';

type BackgroundDefinition<Client> = Pick<
  ServiceDefinition<Operations, Client, ServiceSettings>,
  | 'name'
  | 'settings'
  | 'consumers'
  | 'eventTimings'
  | 'jobs'
  | 'jobsOutsideMax'
  | 'mail'
  | 'purge'
  | 'maintenance'
  | 'sealed'
>;

/** The work of a service besides requests. */
export interface Background {
  broker: Broker;
  consumption: Consumption;
  /** Begins the events and jobs of a transaction. */
  outgoing: BeginOutgoing;
  housekeep(): Promise<string[]>;
  reencrypt(): Promise<void>;
  /** Shutdown steps: consumers, jobs, relay. */
  closing: ShutdownStep[];
  /** Closes the broker and the database connections of relay, dispatcher and housekeeping. */
  closeStores(): Promise<unknown>;
}

/** Starts consumers, jobs, the relay of events, housekeeping and re-encryption. */
export function startBackground<Client>(
  definition: BackgroundDefinition<Client>,
  {
    db,
    seal,
    requests,
    log,
    metrics,
  }: { db: TenantDb<Client>; seal: Seal; requests: RequestRate; log: Log; metrics: Metrics },
): Background {
  const {
    name: service,
    settings,
    jobs = [],
    jobsOutsideMax = 0,
    purge = [],
    maintenance = [],
    sealed = [],
  } = definition;
  const mail = definition.mail?.parts;
  const { NAMESPACE: namespace } = settings;
  const broker = connectBroker({ url: settings.AMQP_URL, namespace, log });
  const pool = createRelayPool(settings.RELAY_DATABASE_URL, settings.RELAY_DATABASE_POOL_MAX);
  const timings = { ...defaultTimings, ...definition.eventTimings };
  const relay = startRelay({ pool, broker, timings, log, metrics });
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
    service,
    jobs: [...jobs, ...(mail?.jobs ?? [])],
    db: inBackground(db),
    relayPool: pool,
    redisUrl: settings.REDIS_JOBS_URL,
    namespace,
    log,
    metrics,
    outgoing,
    requests,
    outsideMax: jobsOutsideMax + (mail?.jobsOutsideMax ?? 0),
  });
  const stopConsuming = new AbortController();
  const consumption = startConsumers({
    service,
    consumers: (definition.consumers ?? []) as readonly Consumer[],
    db: inBackground(db, stopConsuming.signal),
    broker,
    outgoing,
    timings,
    log,
    metrics,
  });
  mail?.watch(pool, metrics);
  const housekeeping = startHousekeeping({
    pool,
    purge: [...purge, ...(mail?.purge ?? [])],
    maintenance,
    log,
    metrics,
  });
  const columns = mail ? [...sealed, mail.sealed] : sealed;
  const reencryption = startReencryption({ pool, seal, columns, log, metrics });

  const consumers: ShutdownStep = {
    name: 'consumers',
    withinMs: shutdownLimits.consumersMs,
    async run() {
      const ended = [consumption.close(), housekeeping.close(), reencryption.close()];
      // Batches that wait for a connection are redelivered, to another instance or after the restart.
      stopConsuming.abort(new Error('The service is shutting down'));
      await Promise.all(ended);
    },
  };
  const jobsAndRelay: ShutdownStep[] = [
    { name: 'jobs', withinMs: shutdownLimits.jobsMs, run: () => scheduler.close() },
    { name: 'relay', withinMs: shutdownLimits.relayMs, run: () => relay.close() },
  ];
  return {
    broker,
    consumption,
    outgoing,
    housekeep: housekeeping.run,
    reencrypt: reencryption.run,
    closing: [consumers, ...jobsAndRelay],
    closeStores: () => Promise.all([broker.close(), pool.end()]),
  };
}
