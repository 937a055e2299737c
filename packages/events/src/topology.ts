import type { Channel } from 'amqplib';

/** The names on the broker. Deployments that share one tell themselves apart by their namespace. */
export function names(namespace: string) {
  return {
    /** Every event goes here, its name the routing key. */
    events: `${namespace}.events`,
    /** Messages whose delay is over come back here, the consumer's queue the routing key. */
    retry: `${namespace}.retry`,
    /** Messages given up go here, the consumer's queue the routing key. */
    dead: `${namespace}.dead`,
    delay: (delayMs: number) => `${namespace}.delay.${delayMs / 1000}s`,
    queue: (service: string, consumer: string) => `${namespace}.${service}.${consumer}`,
    deadQueue: (queue: string) => `${queue}.dead`,
  };
}

export type Names = ReturnType<typeof names>;

/** The waits between attempts; the last one repeats until the attempts are used up. */
export const retryDelaysMs = [1_000, 10_000, 60_000, 600_000] as const;
export const attemptsMax = 10;

// A message that ends its process is delivered this often, then set aside by the broker itself.
const deliveryLimit = 20;

/** Declares what all services share. Limits and dead-lettering are said, never left to a version's defaults (D22). */
export async function declareShared(channel: Channel, names: Names): Promise<void> {
  await channel.assertExchange(names.events, 'topic', { durable: true });
  await channel.assertExchange(names.retry, 'direct', { durable: true });
  await channel.assertExchange(names.dead, 'direct', { durable: true });
  for (const delayMs of retryDelaysMs) {
    const name = names.delay(delayMs);
    await channel.assertExchange(name, 'fanout', { durable: true });
    // Waits its time, then goes to the retry exchange under the routing key it came with: the consumer's queue.
    await channel.assertQueue(name, {
      durable: true,
      arguments: {
        'x-queue-type': 'quorum',
        'x-message-ttl': delayMs,
        'x-dead-letter-exchange': names.retry,
        'x-dead-letter-strategy': 'at-least-once',
        'x-overflow': 'reject-publish',
      },
    });
    await channel.bindQueue(name, name, '');
  }
}

/** Declares one consumer's queue with its way back from a delay and its dead letters. */
export async function declareConsumer(
  channel: Channel,
  names: Names,
  queue: string,
  events: readonly string[],
): Promise<void> {
  await channel.assertQueue(names.deadQueue(queue), { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await channel.bindQueue(names.deadQueue(queue), names.dead, queue);
  await channel.assertQueue(queue, {
    durable: true,
    arguments: {
      'x-queue-type': 'quorum',
      'x-delivery-limit': deliveryLimit,
      'x-dead-letter-exchange': names.dead,
      'x-dead-letter-routing-key': queue,
      'x-dead-letter-strategy': 'at-least-once',
      'x-overflow': 'reject-publish',
    },
  });
  await channel.bindQueue(queue, names.retry, queue);
  for (const name of events) await channel.bindQueue(queue, names.events, name);
}
