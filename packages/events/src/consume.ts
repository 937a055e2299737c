import type { Log, Metrics } from '@tandem/process';
import type { TenantDb } from '@tandem/tenant-db';
import type { Broker } from './broker.ts';
import type { Consumer } from './consumer.ts';
import { handleEvents } from './handle-events.ts';
import { type ConsumerObserver, observeConsumers } from './observe.ts';
import type { BeginOutgoing } from './outgoing.ts';
import { createPutAside, putAsideCounters } from './put-aside.ts';
import { QueueConsumer } from './queue-consumer.ts';
import { watchQueues } from './queue-metrics.ts';
import {
  consumerTopology,
  type DeclaredConsumer,
  type EventTimings,
  type Names,
  sharedTopology,
  type Topology,
} from './topology.ts';

export interface Consumption {
  /** Whether every queue has been declared since the start: events published before do not reach the consumers. */
  declared(): boolean;
  /** Stops taking messages and waits for those in progress. */
  close(): Promise<void>;
}

interface Options<Client> {
  service: string;
  consumers: readonly Consumer[];
  db: TenantDb<Client>;
  broker: Broker;
  outgoing: BeginOutgoing;
  timings: EventTimings;
  log: Log;
  metrics: Metrics;
}

/** The queues of a service's consumers, and the routing keys of their events. */
export function declaredConsumers(
  names: Names,
  service: string,
  consumers: readonly Pick<Consumer, 'name' | 'on'>[],
): DeclaredConsumer[] {
  return consumers.map(({ name, on }) => ({
    queue: names.queue(service, name),
    events: on === 'all' ? ['#'] : on.map((event) => event.name),
  }));
}

/** Runs the consumers of a service, each on its own queue. */
export function startConsumers<Client>(options: Options<Client>): Consumption {
  const { service, consumers, broker, metrics } = options;
  const declared = declaredConsumers(broker.names, service, consumers);
  const queues = declared.map(({ queue }) => queue);
  const counters = consumerCounters(metrics, queues);
  const observer = observeConsumers(metrics);
  const onQueueMissing = (consumer: string) => {
    counters.queueMissing.inc({ consumer });
    options.log.error(
      'the queue of a consumer is missing; the consumer loses events published until it is declared again',
      { consumer },
    );
  };
  const running = consumers.map((consumer, index) =>
    startConsumer(consumer, declared[index] as DeclaredConsumer, { ...options, counters, observer, onQueueMissing }),
  );
  metrics.gauge('consumer_connected', '1 while the consumer consumes from its queue', ['consumer'], (gauge) => {
    for (const { queue, consuming } of running) gauge.set({ consumer: queue }, consuming.isConsuming ? 1 : 0);
  });
  watchQueues(queues, broker, { metrics, onMissing: onQueueMissing });
  return {
    declared: () => running.every(({ consuming }) => consuming.declared),
    async close() {
      await Promise.all(running.map(({ consuming }) => consuming.close()));
    },
  };
}

function startConsumer<Client>(
  consumer: Consumer,
  declared: DeclaredConsumer,
  options: Options<Client> & {
    counters: ReturnType<typeof consumerCounters>;
    observer: ConsumerObserver;
    onQueueMissing: (queue: string) => void;
  },
): { queue: string; consuming: QueueConsumer } {
  const { service, db, broker, outgoing, timings, counters, observer, log } = options;
  const { queue } = declared;
  const { names } = broker;
  const onAfterCommitError = (error: unknown) => log.error('after-commit work failed', { consumer: queue, error });
  const consuming = new QueueConsumer({
    queue,
    topology: merged(sharedTopology(names, timings.retryDelaysMs), consumerTopology(names, declared)),
    events: consumer.on === 'all' ? undefined : new Map(consumer.on.map((event) => [event.name, event])),
    checkIntervalMs: timings.checkIntervalMs,
    handle: (deliveries) =>
      handleEvents(consumer, deliveries, {
        service,
        db,
        outgoing,
        observe: (work) => observer.handle(queue, deliveries, work),
        onAfterCommitError,
      }),
    inTrace: observer.inTrace,
    ping: () => db.ping(),
    putAside: createPutAside({ queue, names, timings, counters, log }),
    onQueueMissing: () => options.onQueueMissing(queue),
    log,
  });
  void broker.onConnection((channel) => consuming.connect(channel));
  return { queue, consuming };
}

function consumerCounters(metrics: Metrics, queues: readonly string[]) {
  const queueMissing = metrics.counter(
    'consumer_queue_missing_total',
    'Times the queue of a consumer was found missing',
    ['consumer'],
  );
  // Starts at zero, so that Prometheus sees the first one as an increase.
  for (const consumer of queues) queueMissing.inc({ consumer }, 0);
  return { ...putAsideCounters(metrics, queues), queueMissing };
}

function merged(first: Topology, second: Topology): Topology {
  return {
    exchanges: [...first.exchanges, ...second.exchanges],
    queues: [...first.queues, ...second.queues],
    bindings: [...first.bindings, ...second.bindings],
  };
}
