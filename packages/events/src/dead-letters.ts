import { type ConfirmChannel, connect, type GetMessage } from 'amqplib';
import { onOneLine } from './errors.ts';
import { names } from './topology.ts';

/** An event that a consumer gave up on. */
export interface DeadLetter {
  eventId: string;
  name: string;
  reason: string;
  /** What was thrown last, on one short line. */
  error: string;
  /** The same as it was. */
  fullError: string;
  diedAt: string;
  attempts: number;
}

/** One consumer's queue, as `crm.detect-duplicates`, on a broker. */
export interface ConsumerQueue {
  url: string;
  namespace: string;
  consumer: string;
}

/** Shows up to `limit` dead letters of a consumer and leaves them where they are. */
export async function listDeadLetters(of: ConsumerQueue, limit = 100): Promise<DeadLetter[]> {
  return withDeadLetters(of, limit, async (message) => {
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

/** Gives up to `limit` dead letters back to their consumer with a fresh set of attempts. Returns how many. */
export async function replayDeadLetters(of: ConsumerQueue, limit = 1_000): Promise<number> {
  const done = await withDeadLetters(of, limit, async (message, channel, queue) => {
    const { messageId, contentType } = message.properties;
    const options = { persistent: true, mandatory: true, messageId, contentType };
    await new Promise<void>((resolve, reject) =>
      channel.publish('', queue, message.content, options, (error) => (error ? reject(error) : resolve())),
    );
    channel.ack(message);
    return message;
  });
  return done.length;
}

type Work<T> = (message: GetMessage, channel: ConfirmChannel, queue: string) => Promise<T>;

/** Takes messages one by one; what `work` does not acknowledge returns to the queue when the connection closes. */
async function withDeadLetters<T>(of: ConsumerQueue, limit: number, work: Work<T>): Promise<T[]> {
  const queue = `${of.namespace}.${of.consumer}`;
  const connection = await connect(of.url, { noDelay: true } as object);
  // The call that failed rejects; without listeners the same error would also end the process.
  connection.on('error', () => {});
  try {
    const channel = await connection.createConfirmChannel();
    channel.on('error', () => {});
    const results: T[] = [];
    while (results.length < limit) {
      const message = await channel.get(names(of.namespace).deadQueue(queue));
      if (!message) break;
      results.push(await work(message, channel, queue));
    }
    return results;
  } finally {
    await connection.close().catch(() => {});
  }
}

function eventName(content: Buffer): string {
  try {
    return String(JSON.parse(content.toString()).name);
  } catch {
    // A message that is not JSON is here because of that.
    return 'unreadable';
  }
}
