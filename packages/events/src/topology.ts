import type { Channel } from 'amqplib';

/** Names of exchanges and queues. Deployments that share one broker use different namespaces. */
export function names(namespace: string) {
  return {
    /** Topic exchange for all events; the routing key is the name of the event. */
    events: `${namespace}.events`,
    /** Direct exchange for messages after their delay; the routing key is the queue of the consumer. */
    retry: `${namespace}.retry`,
    /** Direct exchange for dead letters; the routing key is the queue of the consumer. */
    dead: `${namespace}.dead`,
    /** Fanout exchange and queue of one delay. */
    delay: (delayMs: number) => `${namespace}.delay.${delayMs / 1000}s`,
    /** Queue of one consumer. */
    queue: (service: string, consumer: string) => `${namespace}.${service}.${consumer}`,
    /** Dead letters of one consumer. */
    deadQueue: (queue: string) => `${queue}.dead-letters`,
    /** The dead-letter queue of releases before 1.19. `topology --repair` moves its messages to `deadQueue`. */
    formerDeadQueue: (queue: string) => `${queue}.dead`,
  };
}

export type Names = ReturnType<typeof names>;

/** Timings of event delivery. Tests use shorter ones. */
export interface EventTimings {
  /** Delays between the attempts of a failing event; the last one repeats until the attempts are used up. */
  retryDelaysMs: readonly number[];
  /** How long an event that only another release can read is deferred before it becomes a dead letter. */
  deferralMaxMs: number;
  /** How often each consumer checks that its queue exists, and declares its queue and bindings again. */
  checkIntervalMs: number;
}

export const defaultTimings: EventTimings = {
  retryDelaysMs: [1_000, 10_000, 60_000, 600_000],
  deferralMaxMs: 24 * 3_600_000,
  checkIntervalMs: 30_000,
};

/** Number of attempts before an event becomes a dead letter. */
export const attemptsMax = 10;

// Delivery limit for a message that crashes its process; then the broker dead-letters it.
const deliveryLimit = 20;
// Inspecting dead letters counts as delivery. RabbitMQ 4 drops a message after 20 deliveries unless the queue has its
// own limit; RabbitMQ 3.10 does not accept -1 (no limit). Both accept this limit, and no operator reaches it.
const deadDeliveryLimit = 1_000_000_000;
// Dead letters contain personal data.
const deadLetterMaxAgeMs = 30 * 24 * 3_600_000;

export type QueueArguments = Readonly<Record<string, string | number>>;

/** Everything that a set of consumers needs on the broker. The admin command `topology` compares it with the broker. */
export interface Topology {
  exchanges: { name: string; type: 'topic' | 'direct' | 'fanout' }[];
  queues: { name: string; arguments: QueueArguments }[];
  bindings: Binding[];
}

export interface Binding {
  exchange: string;
  queue: string;
  routingKey: string;
}

/** One consumer of the fleet: its queue, and the routing keys of its events. */
export interface DeclaredConsumer {
  queue: string;
  events: readonly string[];
}

/**
 * The topology that all services share. Types, limits and dead-lettering are explicit, because defaults differ between
 * versions of RabbitMQ (D22).
 */
export function sharedTopology(names: Names, retryDelaysMs: readonly number[]): Topology {
  const delays = retryDelaysMs.map((delayMs) => ({ name: names.delay(delayMs), delayMs }));
  return {
    exchanges: [
      { name: names.events, type: 'topic' },
      { name: names.retry, type: 'direct' },
      { name: names.dead, type: 'direct' },
      ...delays.map(({ name }) => ({ name, type: 'fanout' as const })),
    ],
    // After its delay a message goes to the retry exchange with its original routing key: the consumer's queue.
    queues: delays.map(({ name, delayMs }) => ({
      name,
      arguments: {
        'x-queue-type': 'quorum',
        'x-message-ttl': delayMs,
        'x-dead-letter-exchange': names.retry,
        'x-dead-letter-strategy': 'at-least-once',
        'x-overflow': 'reject-publish',
      },
    })),
    bindings: delays.map(({ name }) => ({ exchange: name, queue: name, routingKey: '' })),
  };
}

/** One consumer's queue with its bindings, its retry binding, and its dead-letter queue. */
export function consumerTopology(names: Names, { queue, events }: DeclaredConsumer): Topology {
  const deadQueue = names.deadQueue(queue);
  return {
    exchanges: [],
    queues: [
      {
        name: deadQueue,
        arguments: {
          'x-queue-type': 'quorum',
          'x-delivery-limit': deadDeliveryLimit,
          'x-message-ttl': deadLetterMaxAgeMs,
        },
      },
      {
        name: queue,
        arguments: {
          'x-queue-type': 'quorum',
          'x-delivery-limit': deliveryLimit,
          'x-dead-letter-exchange': names.dead,
          'x-dead-letter-routing-key': queue,
          'x-dead-letter-strategy': 'at-least-once',
          'x-overflow': 'reject-publish',
        },
      },
    ],
    bindings: [
      { exchange: names.dead, queue: deadQueue, routingKey: queue },
      { exchange: names.retry, queue, routingKey: queue },
      ...events.map((routingKey) => ({ exchange: names.events, queue, routingKey })),
    ],
  };
}

/** Declares exchanges, queues and bindings; existing ones stay unchanged. */
export async function declare(channel: Channel, { exchanges, queues, bindings }: Topology): Promise<void> {
  for (const { name, type } of exchanges) await channel.assertExchange(name, type, { durable: true });
  for (const queue of queues) await channel.assertQueue(queue.name, { durable: true, arguments: queue.arguments });
  for (const { exchange, queue, routingKey } of bindings) await channel.bindQueue(queue, exchange, routingKey);
}

// Reply code of AMQP 0-9-1 for a queue, exchange or binding that does not exist.
const notFound = 404;

/** Whether the broker refused a call because a queue or exchange does not exist. It closes the channel as well. */
export function isNotFound(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === notFound;
}
