import { type ConfirmChannel, connect, type GetMessage } from 'amqplib';
import { onOneLine } from './errors.ts';
import { names } from './topology.ts';

/** An event that a consumer failed to handle. */
export interface DeadLetter {
  eventId: string;
  name: string;
  /** `permanent`, `unreadable`, `attempts_exhausted`, `unknown_event`, `unknown_contract` or `delivery_limit`. */
  reason: string;
  /** The last error, shortened to one line of at most 160 characters. */
  error: string;
  /** The last error in full, up to 2,000 bytes. */
  fullError: string;
  diedAt: string;
  attempts: number;
}

/** One consumer's queue on a broker; `consumer` is named like `crm.detect-duplicates`. */
export interface ConsumerQueue {
  url: string;
  namespace: string;
  consumer: string;
}

/** Lists up to `limit` dead letters of a consumer, oldest first, without removing them. */
export async function listDeadLetters(of: ConsumerQueue, limit = 100): Promise<DeadLetter[]> {
  const { deadQueue } = queuesOf(of);
  return withMessages({ url: of.url, queue: deadQueue, limit }, async (message) => {
    const headers = message.properties.headers ?? {};
    const fullError = String(headers['x-error'] ?? '');
    return {
      eventId: String(message.properties.messageId),
      name: eventName(message.content),
      reason: String(headers['x-reason'] ?? 'delivery_limit'),
      error: onOneLine(fullError),
      fullError,
      diedAt: String(headers['x-died-at'] ?? ''),
      attempts: Number(headers['x-attempt'] ?? 1),
    };
  });
}

/**
 * Returns up to `limit` dead letters to their consumer, each with ten new attempts. Resolves to the number of messages.
 */
export async function replayDeadLetters(of: ConsumerQueue, limit = 1_000): Promise<number> {
  const { queue, deadQueue } = queuesOf(of);
  const from = { url: of.url, queue: deadQueue, limit };
  const replayed = await withMessages(from, (message, channel) => move(message, channel, { to: queue, headers: {} }));
  return replayed.length;
}

/**
 * Moves all messages from one queue to another, with their headers. Resolves to the number of messages. A message is
 * removed from the first queue after the second has confirmed it, so an interruption duplicates a message and loses
 * none.
 */
export async function moveMessages({ url, from, to }: { url: string; from: string; to: string }): Promise<number> {
  let total = 0;
  for (;;) {
    const moved = await withMessages({ url, queue: from, limit: moveBatchMax }, (message, channel) =>
      move(message, channel, { to, headers: message.properties.headers ?? {} }),
    );
    if (!moved.length) return total;
    total += moved.length;
  }
}

const moveBatchMax = 1_000;

function queuesOf({ namespace, consumer }: ConsumerQueue): { queue: string; deadQueue: string } {
  const queue = `${namespace}.${consumer}`;
  return { queue, deadQueue: names(namespace).deadQueue(queue) };
}

async function move(
  message: GetMessage,
  channel: ConfirmChannel,
  { to, headers }: { to: string; headers: Record<string, unknown> },
): Promise<void> {
  const { messageId, contentType } = message.properties;
  let isReturned = false;
  const onReturn = () => {
    isReturned = true;
  };
  channel.once('return', onReturn);
  const options = { persistent: true, mandatory: true, messageId, contentType, headers };
  await new Promise<void>((resolve, reject) =>
    channel.publish('', to, message.content, options, (error) => (error ? reject(error) : resolve())),
  );
  channel.off('return', onReturn);
  if (isReturned) throw new Error(`The queue ${to} does not exist`);
  channel.ack(message);
}

/** Gets messages one by one; those that `work` does not acknowledge return to the queue when the connection closes. */
async function withMessages<T>(
  { url, queue, limit }: { url: string; queue: string; limit: number },
  work: (message: GetMessage, channel: ConfirmChannel) => Promise<T>,
): Promise<T[]> {
  const connection = await connect(url, { noDelay: true, timeout: connectTimeoutMs });
  // A failing call rejects; without listeners the same error would also end the process.
  connection.on('error', () => {});
  try {
    const channel = await connection.createConfirmChannel();
    channel.on('error', () => {});
    // All are fetched before processing: a replayed message may fail again and return to the queue meanwhile.
    const messages: GetMessage[] = [];
    while (messages.length < limit) {
      const message = await channel.get(queue);
      if (!message) break;
      messages.push(message);
    }
    const results: T[] = [];
    for (const message of messages) results.push(await work(message, channel));
    // Closing the connection alone could overtake the acknowledgements, which travel on the channel.
    await channel.close();
    return results;
  } finally {
    await connection.close().catch(() => {});
  }
}

const connectTimeoutMs = 5_000;

function eventName(content: Buffer): string {
  try {
    return String(JSON.parse(content.toString()).name);
  } catch {
    return 'unreadable';
  }
}
