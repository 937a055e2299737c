import { type ChannelModel, connect } from 'amqplib';
import { moveMessages } from './dead-letters.ts';
import { declare, type Names } from './topology.ts';
import type { Difference } from './topology-differences.ts';

/** The repair of a difference. If nothing was changed, `remedy` says what an operator can do. */
export type Repair = { difference: Difference } & ({ done: string } | { remedy: string });

/**
 * Repairs differences: declares missing parts, removes extra bindings, moves dead letters of earlier releases to their
 * current queue, and deletes orphaned queues that are empty. A queue with messages or a consumer stays.
 */
export async function repairTopology(
  url: string,
  names: Names,
  differences: readonly Difference[],
  delayQueues: readonly string[],
): Promise<Repair[]> {
  const connection = await connect(url, { noDelay: true, timeout: 5_000 });
  connection.on('error', () => {});
  try {
    const repairs: Repair[] = [];
    // In this order exchanges and queues exist before their bindings.
    for (const difference of differences)
      repairs.push({ difference, ...(await repair({ url, names, connection, delayQueues }, difference)) });
    return repairs;
  } finally {
    await connection.close().catch(() => {});
  }
}

interface Context {
  url: string;
  names: Names;
  connection: ChannelModel;
  delayQueues: readonly string[];
}

type Outcome = { done: string } | { remedy: string };

async function repair(context: Context, difference: Difference): Promise<Outcome> {
  const { connection, names } = context;
  const channel = await connection.createChannel();
  try {
    switch (difference.kind) {
      case 'missing_exchange':
        await declare(channel, { exchanges: [difference], queues: [], bindings: [] });
        return { done: 'declared' };
      case 'missing_queue':
        await declare(channel, { exchanges: [], queues: [difference], bindings: [] });
        return { done: 'declared' };
      case 'missing_binding':
        await declare(channel, { exchanges: [], queues: [], bindings: [difference.binding] });
        return { done: 'bound' };
      case 'extra_binding': {
        const { queue, exchange, routingKey } = difference.binding;
        await channel.unbindQueue(queue, exchange, routingKey);
        return { done: 'unbound' };
      }
      case 'wrong_arguments':
        return {
          remedy:
            'queue arguments cannot be changed: stop the service, move the messages to another queue (topology:move), delete the queue, start the service, move the messages back',
        };
      case 'former_dead_queue': {
        await channel.unbindQueue(difference.name, names.dead, difference.queue);
        const to = names.deadQueue(difference.queue);
        const moved = await moveMessages({ url: context.url, from: difference.name, to });
        return deleteWhenUnused(context, difference.name, `moved ${moved} dead letters, deleted`);
      }
      case 'orphaned_queue':
        return removeOrphan(context, difference);
    }
  } finally {
    await channel.close().catch(() => {});
  }
}

/** Unbinds an orphaned queue and deletes it when it is empty. */
async function removeOrphan(
  context: Context,
  { name, bindings }: Difference & { kind: 'orphaned_queue' },
): Promise<Outcome> {
  const { connection, names, delayQueues } = context;
  const channel = await connection.createChannel();
  channel.on('error', () => {});
  const { messageCount, consumerCount } = await channel.checkQueue(name);
  if (consumerCount) return { remedy: 'in use: an instance of another release consumes the queue' };
  // Without a consumer, the queue would grow until the disk is full.
  for (const { exchange, routingKey } of bindings)
    if (exchange === names.events) await channel.unbindQueue(name, exchange, routingKey);
  if (messageCount)
    return { remedy: `receives no further events and contains ${messageCount} messages: move them with topology:move` };
  const isDeadQueue = name.endsWith('.dead-letters') || name.endsWith('.dead');
  if (isDeadQueue && (await holdMessages(context, delayQueues)))
    return { remedy: 'delayed retries are still pending and may fail again: run --repair again later' };
  // A retry that is still delayed becomes a dead letter instead of blocking its delay queue.
  if (!isDeadQueue) await keepRetries(context, name, names);
  return deleteWhenUnused(context, name, 'deleted');
}

async function keepRetries({ connection }: Context, queue: string, names: Names): Promise<void> {
  const channel = await connection.createChannel();
  channel.on('error', () => {});
  await channel.bindQueue(names.deadQueue(queue), names.retry, queue).catch(() => {});
}

async function holdMessages({ connection }: Context, queues: readonly string[]): Promise<boolean> {
  const channel = await connection.createChannel();
  for (const queue of queues) if ((await channel.checkQueue(queue)).messageCount) return true;
  return false;
}

/** RabbitMQ has no conditional deletion of quorum queues, so the depth is read directly before. */
async function deleteWhenUnused({ connection }: Context, name: string, done: string): Promise<Outcome> {
  const channel = await connection.createChannel();
  const { messageCount, consumerCount } = await channel.checkQueue(name);
  if (messageCount || consumerCount)
    return { remedy: 'received messages or a consumer in the meantime: run --repair again' };
  await channel.deleteQueue(name);
  return { done };
}
