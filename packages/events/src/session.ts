import type { ConfirmChannel, ConsumeMessage } from 'amqplib';

// Time limit for a publisher confirm; after that the session ends and the broker redelivers the message.
const confirmTimeoutMs = 10_000;

/**
 * One consumer on one connection. Its messages can only be acknowledged on the same channel; when the channel closes,
 * the broker redelivers all unacknowledged ones.
 */
export interface Session {
  channel: ConfirmChannel;
  consumerTag: string;
  /** Delivered messages that no batch has taken yet. */
  pending: ConsumeMessage[];
  /** Delivery tags of republished messages that were returned because no queue is bound. */
  returned: Set<string>;
}

/**
 * Publishes a message to another exchange and acknowledges it after the confirm. It exists twice in between, so that it
 * is never lost.
 * @param to.queue the routing key
 * @throws when no queue is bound or the confirm times out; the message stays unacknowledged
 */
export async function republish(
  { channel, returned }: Session,
  message: ConsumeMessage,
  to: { exchange: string; queue: string; headers: Record<string, unknown> },
): Promise<void> {
  const { messageId, contentType, headers } = message.properties;
  const correlationId = String(message.fields.deliveryTag);
  const options = {
    persistent: true,
    mandatory: true,
    correlationId,
    messageId,
    contentType,
    headers: { ...headers, ...to.headers },
  };
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`No publisher confirm from ${to.exchange}`)), confirmTimeoutMs);
    channel.publish(to.exchange, to.queue, message.content, options, (error) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve();
    });
  });
  // An unroutable message is returned before it is confirmed.
  if (returned.delete(correlationId)) throw new Error(`No queue is bound to ${to.exchange}`);
  channel.ack(message);
}

/** Asks the broker to stop delivering. A closed channel needs no cancel. */
export async function cancel({ channel, consumerTag }: Session): Promise<void> {
  try {
    await channel.cancel(consumerTag);
  } catch {
    // The channel closed meanwhile.
  }
}

/**
 * Acknowledges a batch, with a single frame when every earlier message of the session has been acknowledged as well.
 * @param batch in order of delivery
 * @param done in any order
 */
export function acknowledge(
  channel: ConfirmChannel,
  batch: readonly ConsumeMessage[],
  done: readonly ConsumeMessage[],
): void {
  const last = batch.at(-1);
  if (last && done.length === batch.length) channel.ack(last, true);
  else for (const message of done) channel.ack(message);
}
