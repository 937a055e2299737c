import type { EventDef } from '@tandem/contract';
import type { Log, Metrics } from '@tandem/process';
import type { TenantDb } from '@tandem/tenant-db';
import type { ConfirmChannel, ConsumeMessage } from 'amqplib';
import type { Broker } from './broker.ts';
import type { Consumer } from './consumer.ts';
import { type Delivery, readDelivery } from './delivery.ts';
import { describeError, PermanentError } from './errors.ts';
import { type ConsumerObserver, observeConsumers } from './observe.ts';
import type { BeginOutgoing } from './outgoing.ts';
import { watchQueues } from './queue-metrics.ts';
import { attemptsMax, declareConsumer, declareShared, retryDelaysMs } from './topology.ts';

export interface Consumption {
  /** Whether every queue has been declared since the start: what is published before reaches no consumer here. */
  declared(): boolean;
  /** Stops taking messages and waits for those under way. */
  close(): Promise<void>;
}

/** What one connection delivers. Only there it can be acknowledged; when it breaks the broker delivers again what was not. */
interface Source {
  on: ConfirmChannel;
  waiting: ConsumeMessage[];
  /** Delivery tags of messages that were handed on and that no queue wanted. */
  returned: Set<string>;
}

const prefetch = 100;
const batchMax = 50;
// In a stream of events a batch gathers this long, so that a transaction is for several of them. The first after a quiet
// moment does not wait.
const gatherMs = 40;
const databaseRetryMs = 500;
// A broker that takes nothing must not be dialled without a pause.
const interruptedMs = 500;

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
  outgoing: BeginOutgoing;
  log: Log;
  metrics: Metrics;
}): Consumption {
  const queues = options.consumers.map((one) => options.broker.names.queue(options.service, one.name));
  const observer = observeConsumers(options.metrics, queues);
  const running = options.consumers.map((one) => runConsumer(one, options, observer));
  watchQueues(queues, options.broker, options.metrics);
  return {
    declared: () => running.every((one) => one.declared()),
    async close() {
      await Promise.all(running.map((one) => one.close()));
    },
  };
}

type Options<Client> = Parameters<typeof startConsumers<Client>>[0];

function runConsumer<Client>(consumer: Consumer, options: Options<Client>, observer: ConsumerObserver) {
  const { service, db, broker, log, events } = options;
  const { names } = broker;
  const queue = names.queue(service, consumer.name);
  const bindings = consumer.on === 'all' ? ['#'] : consumer.on.map((event) => event.name);

  let source: Source | undefined;
  let consumerTag: string | undefined;
  let declared = false;
  let closing = false;
  let busy: Promise<void> | undefined;

  void broker.onConnection(async (made) => {
    await declareShared(made, names);
    await declareConsumer(made, names, queue, bindings);
    await made.prefetch(prefetch);
    const mine: Source = { on: made, waiting: [], returned: new Set() };
    source = mine;
    made.on('return', (message) => mine.returned.add(String(message.properties.correlationId)));
    made.on('close', () => {
      if (source === mine) source = undefined;
    });
    const tag = await made.consume(queue, (message) => {
      // The broker ended the consumer, as it does when its queue is deleted: a new connection declares it again.
      if (!message) return giveUp(mine);
      if (source !== mine) return;
      mine.waiting.push(message);
      busy ??= drainAll().finally(() => {
        busy = undefined;
      });
    });
    consumerTag = tag.consumerTag;
    declared = true;
  });

  let batchEndedAt = 0;
  /** Lets more messages arrive, those of the same network read at least. */
  const gather = ({ waiting }: Source) => {
    const ms = waiting.length < batchMax && !closing ? batchEndedAt + gatherMs - performance.now() : 0;
    return new Promise((resolve) => (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)));
  };

  /** Deals with what waits, and then with what a new connection has delivered meanwhile. */
  const drainAll = async () => {
    while (source?.waiting.length && !closing) {
      const current: Source = source;
      await drain(current).catch(async (error) => {
        log.warn('consuming interrupted', { consumer: queue, error });
        if (source !== current) return;
        await new Promise((resolve) => setTimeout(resolve, interruptedMs));
        giveUp(current);
      });
    }
  };

  /**
   * Ends the connection, so that everything comes again that was not acknowledged. With it open, a later word for a whole
   * batch would acknowledge that too.
   */
  const giveUp = (given: Source) => {
    if (source === given) source = undefined;
    void (async () => given.on.close())().catch(() => {});
  };

  const drain = async (current: Source) => {
    const { on, waiting } = current;
    while (waiting.length && source === current && !closing) {
      await gather(current);
      const batch = waiting.splice(0, batchMax);
      const readable: Delivery[] = [];
      for (const message of batch) {
        try {
          readable.push(readDelivery(message, consumer.on === 'all' ? undefined : events));
        } catch (error) {
          await setAside(current, message, 'unreadable', error);
        }
      }
      const done = await Promise.all([...byScope(readable).values()].map((group) => handleGroup(current, group)));
      acknowledge(on, batch, done.flat());
      batchEndedAt = performance.now();
    }
  };

  /** Deals with the events of one tenant; resolves to those that are done and not acknowledged yet. */
  const handleGroup = async (from: Source, group: Delivery[]): Promise<ConsumeMessage[]> => {
    try {
      await apply(group);
      return group.map(({ message }) => message);
    } catch (error) {
      if (await databaseIsAway()) return handleGroup(from, group);
      if (closing) return [];
      if (group.length > 1) {
        const done: ConsumeMessage[] = [];
        for (const one of group) done.push(...(await handleGroup(from, [one])));
        return done;
      }
      const [one] = group as [Delivery];
      await observer.inTrace(one, () => failed(from, one.message, error));
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
    const after: (() => void | Promise<void>)[] = [];
    const caller = { ...first.caller, type: 'system' as const, name: service, permissions: [], ...scope };
    const { emit, schedule, written, committed } = options.outgoing(caller, scope);
    const work = async () => {
      const ids = group.map(({ event }) => event.id);
      const fresh = await db.tx.sql<{ event_id: string }>`INSERT INTO platform.inbox (consumer, event_id)
          SELECT ${consumer.name}, unnest(${ids}::uuid[]) ON CONFLICT DO NOTHING RETURNING event_id`;
      const isFresh = new Set(fresh.map((row) => row.event_id));
      const received = group.filter(({ event }) => isFresh.delete(event.id)).map((one) => one.received);
      if (!received.length) return;
      await consumer.handle(received, { tx: db.tx, emit, schedule, afterCommit: (work) => void after.push(work) });
    };
    await observer.handle(queue, group, () => db.transaction(scope, work, written));
    committed();
    for (const work of after) {
      try {
        await observer.inTrace(group[0] as Delivery, async () => work());
      } catch (error) {
        // The effect is committed: handling the event again would skip it as seen.
        log.error('work after the commit failed', { consumer: queue, error });
      }
    }
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

  const failed = async (from: Source, message: ConsumeMessage, error: unknown): Promise<void> => {
    if (error instanceof PermanentError) return setAside(from, message, error.reason, error);
    const attempt = Number(message.properties.headers?.['x-attempt'] ?? 1);
    if (attempt >= attemptsMax) return setAside(from, message, 'attempts_exhausted', error);
    const delayMs = retryDelaysMs[Math.min(attempt, retryDelaysMs.length) - 1] as number;
    observer.failed(queue, 'retried');
    log.warn('event failed, will retry', {
      consumer: queue,
      event: message.fields.routingKey,
      attempt,
      delayMs,
      error,
    });
    await hand(from, message, names.delay(delayMs), { 'x-attempt': attempt + 1 });
  };

  const setAside = async (from: Source, message: ConsumeMessage, reason: string, error: unknown): Promise<void> => {
    observer.failed(queue, 'dead');
    log.error('event set aside as a dead letter', { consumer: queue, reason, error });
    const headers = { 'x-reason': reason, 'x-error': describeError(error), 'x-died-at': new Date().toISOString() };
    await hand(from, message, names.dead, headers);
  };

  /** Publishes a message elsewhere and only then acknowledges it: between the two it exists twice, never not at all. */
  const hand = async (
    { on, returned }: Source,
    message: ConsumeMessage,
    exchange: string,
    headers: Record<string, unknown>,
  ) => {
    const { messageId, contentType } = message.properties;
    const correlationId = String(message.fields.deliveryTag);
    const options = {
      persistent: true,
      mandatory: true,
      correlationId,
      messageId,
      contentType,
      headers: { ...message.properties.headers, ...headers },
    };
    await new Promise<void>((resolve, reject) =>
      on.publish(exchange, queue, message.content, options, (error) => (error ? reject(error) : resolve())),
    );
    // A message that no queue wanted is confirmed too, and returned before.
    if (returned.delete(correlationId)) throw new Error(`No queue is bound to ${exchange}`);
    on.ack(message);
  };

  return {
    declared: () => declared,
    async close() {
      closing = true;
      if (source && consumerTag) await source.on.cancel(consumerTag).catch(() => {});
      await busy;
    },
  };
}

function byScope(deliveries: Delivery[]): Map<string, Delivery[]> {
  return Map.groupBy(deliveries, ({ event }) => `${event.tenantId}/${event.environment}`);
}
