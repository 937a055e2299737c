import type { EventDef } from '@tandem/contract';
import { type Log, type Metrics, readTrace, withTrace } from '@tandem/process';
import type { TenantDb } from '@tandem/tenant-db';
import type { ConfirmChannel, ConsumeMessage } from 'amqplib';
import type { Broker } from './broker.ts';
import type { Consumer, Schedule } from './consumer.ts';
import { type Delivery, readDelivery } from './delivery.ts';
import { describeError, PermanentFailure } from './failure.ts';
import { emitter } from './outbox.ts';
import { attemptsMax, declareConsumer, declareShared, retryDelaysMs } from './topology.ts';

export interface Consumption {
  /** Whether every queue has been declared since the start: what is published before reaches no consumer here. */
  declared(): boolean;
  /** Stops taking messages and waits for those under way. */
  close(): Promise<void>;
}

const prefetch = 100;
const batchMax = 50;
// In a stream of events a batch gathers this long, so that a transaction is for several of them. The first after a quiet
// moment does not wait.
const gatherMs = 10;
const databaseRetryMs = 500;

/**
 * Runs the consumers of a service. Messages that wait together are handled together: one transaction per tenant for up
 * to 50 of them, the inbox first. When one of a batch fails each is tried alone, so a bad one harms no other.
 */
export function startConsumers<Client>(options: {
  service: string;
  consumers: readonly Consumer[];
  events: ReadonlyMap<string, EventDef>;
  db: TenantDb<Client>;
  broker: Broker;
  schedule: Schedule;
  log: Log;
  metrics: Metrics;
  onCommit: () => void;
}): Consumption {
  const handled = options.metrics.counter('events_consumed_total', 'Events dealt with', ['consumer']);
  const count = (consumer: string, events: number) => handled.inc({ consumer }, events);
  const running = options.consumers.map((one) => runConsumer(one, options, count));
  const queues = options.consumers.map((one) => options.broker.names.queue(options.service, one.name));
  watch(queues, options.broker, options.metrics);
  return {
    declared: () => running.every((one) => one.declared()),
    async close() {
      await Promise.all(running.map((one) => one.close()));
    },
  };
}

type Options<Client> = Parameters<typeof startConsumers<Client>>[0];

function runConsumer<Client>(
  consumer: Consumer,
  options: Options<Client>,
  handled: (queue: string, events: number) => void,
) {
  const { service, db, broker, log, events } = options;
  const { names } = broker;
  const queue = names.queue(service, consumer.name);
  const bindings = consumer.on === 'all' ? ['#'] : consumer.on.map((event) => event.name);

  let waiting: ConsumeMessage[] = [];
  let channel: ConfirmChannel | undefined;
  let consumerTag: string | undefined;
  let declared = false;
  let closing = false;
  let busy: Promise<void> | undefined;

  void broker.onConnection(async (made) => {
    await declareShared(made, names);
    await declareConsumer(made, names, queue, bindings);
    await made.prefetch(prefetch);
    channel = made;
    // What an earlier connection delivered can no longer be acknowledged; the broker sends it again.
    waiting = [];
    made.on('close', () => {
      if (channel === made) channel = undefined;
    });
    const tag = await made.consume(queue, (message) => {
      if (!message || channel !== made) return;
      waiting.push(message);
      busy ??= drain(made)
        // Unacknowledged messages come again on the next connection.
        .catch((error) => void log.warn('consuming interrupted', { consumer: queue, error }))
        .finally(() => {
          busy = undefined;
        });
    });
    consumerTag = tag.consumerTag;
    declared = true;
  });

  let batchEndedAt = 0;
  /** Lets more messages arrive, those of the same network read at least. */
  const gather = () => {
    const ms = waiting.length < batchMax && !closing ? batchEndedAt + gatherMs - performance.now() : 0;
    return new Promise((resolve) => (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)));
  };

  const drain = async (on: ConfirmChannel) => {
    while (waiting.length && channel === on && !closing) {
      await gather();
      const batch = waiting.splice(0, batchMax);
      const readable: Delivery[] = [];
      for (const message of batch) {
        try {
          readable.push(readDelivery(message, consumer.on === 'all' ? undefined : events));
        } catch (error) {
          await setAside(on, message, 'unreadable', error);
        }
      }
      const done = await Promise.all([...byScope(readable).values()].map((group) => handleGroup(on, group)));
      acknowledge(on, batch, done.flat());
      batchEndedAt = performance.now();
    }
  };

  /** Deals with the events of one tenant; resolves to those that are done and not acknowledged yet. */
  const handleGroup = async (on: ConfirmChannel, group: Delivery[]): Promise<ConsumeMessage[]> => {
    try {
      await apply(group);
      handled(queue, group.length);
      return group.map(({ message }) => message);
    } catch (error) {
      if (await databaseIsAway()) return handleGroup(on, group);
      if (closing) return [];
      if (group.length > 1) {
        const done: ConsumeMessage[] = [];
        for (const one of group) done.push(...(await handleGroup(on, [one])));
        return done;
      }
      await failed(on, (group[0] as Delivery).message, error);
      return [];
    }
  };

  /** One word to the broker for a whole batch: everything before it is acknowledged already. */
  const acknowledge = (on: ConfirmChannel, batch: ConsumeMessage[], done: ConsumeMessage[]) => {
    if (done.length === batch.length) on.ack(batch.at(-1) as ConsumeMessage, true);
    else for (const message of done) on.ack(message);
  };

  const apply = async (group: Delivery[]): Promise<void> => {
    const first = (group[0] as Delivery).event;
    const scope = { tenantId: first.tenantId, environment: first.environment };
    const trace = readTrace(first.traceparent, first.caller.requestId);
    const after: (() => void | Promise<void>)[] = [];
    let left = false;
    const schedule: Schedule = async (...given) => {
      left = true;
      await options.schedule(...given);
    };
    const caller = { ...first.caller, type: 'system' as const, name: service, permissions: [], ...scope };
    const { emit, written, count } = emitter(caller, scope);
    const work = async () => {
      const ids = group.map(({ event }) => event.id);
      const fresh = await db.tx.sql<{ event_id: string }>`INSERT INTO platform.inbox (consumer, event_id)
          SELECT ${consumer.name}, unnest(${ids}::uuid[]) ON CONFLICT DO NOTHING RETURNING event_id`;
      const isFresh = new Set(fresh.map((row) => row.event_id));
      const received = group.filter(({ event }) => isFresh.delete(event.id)).map((one) => one.received);
      if (!received.length) return;
      await consumer.handle(received, { tx: db.tx, emit, schedule, afterCommit: (work) => void after.push(work) });
    };
    await withTrace(trace, () => db.transaction(scope, work, written));
    if (left || count()) options.onCommit();
    for (const work of after) await work();
  };

  /** A database that is away is nobody's fault: wait for it instead of using up attempts. */
  const databaseIsAway = async (): Promise<boolean> => {
    let wasAway = false;
    while (!closing) {
      try {
        await db.ping();
        return wasAway;
      } catch {
        wasAway = true;
        await new Promise((resolve) => setTimeout(resolve, databaseRetryMs));
      }
    }
    return false;
  };

  const failed = async (on: ConfirmChannel, message: ConsumeMessage, error: unknown): Promise<void> => {
    if (error instanceof PermanentFailure) return setAside(on, message, 'permanent', error);
    const attempt = Number(message.properties.headers?.['x-attempt'] ?? 1);
    if (attempt >= attemptsMax) return setAside(on, message, 'attempts_exhausted', error);
    const delayMs = retryDelaysMs[Math.min(attempt, retryDelaysMs.length) - 1] as number;
    log.warn('event failed, will retry', {
      consumer: queue,
      event: message.fields.routingKey,
      attempt,
      delayMs,
      error,
    });
    await hand(on, message, names.delay(delayMs), { 'x-attempt': attempt + 1 });
  };

  const setAside = async (
    on: ConfirmChannel,
    message: ConsumeMessage,
    reason: string,
    error: unknown,
  ): Promise<void> => {
    log.error('event set aside as a dead letter', { consumer: queue, reason, error });
    const headers = { 'x-reason': reason, 'x-error': describeError(error), 'x-died-at': new Date().toISOString() };
    await hand(on, message, names.dead, headers);
  };

  /** Publishes a message elsewhere and only then acknowledges it: between the two it exists twice, never not at all. */
  const hand = async (
    on: ConfirmChannel,
    message: ConsumeMessage,
    exchange: string,
    headers: Record<string, unknown>,
  ) => {
    const { messageId, contentType } = message.properties;
    const options = {
      persistent: true,
      messageId,
      contentType,
      headers: { ...message.properties.headers, ...headers },
    };
    await new Promise<void>((resolve, reject) =>
      on.publish(exchange, queue, message.content, options, (error) => (error ? reject(error) : resolve())),
    );
    on.ack(message);
  };

  return {
    declared: () => declared,
    async close() {
      closing = true;
      if (channel && consumerTag) await channel.cancel(consumerTag).catch(() => {});
      await busy;
    },
  };
}

function byScope(deliveries: Delivery[]): Map<string, Delivery[]> {
  return Map.groupBy(deliveries, ({ event }) => `${event.tenantId}/${event.environment}`);
}

/** Depth of the queues and their dead letters, read from the broker at every scrape. */
function watch(queues: readonly string[], broker: Broker, metrics: Metrics): void {
  let channel: ConfirmChannel | undefined;
  void broker.onConnection(async (made) => {
    channel = made;
    made.on('close', () => {
      if (channel === made) channel = undefined;
    });
  });
  const read =
    (name: (queue: string) => string) => async (gauge: { set(labels: { queue: string }, value: number): void }) => {
      for (const queue of queues) {
        const found = await channel?.checkQueue(name(queue));
        if (found) gauge.set({ queue }, found.messageCount);
      }
    };
  metrics.gauge(
    'queue_depth',
    'Events waiting for a consumer',
    ['queue'],
    read((queue) => queue),
  );
  metrics.gauge('dead_letters', 'Events a consumer gave up on', ['queue'], read(broker.names.deadQueue));
}
