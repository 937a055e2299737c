import { type ConfirmChannel, IllegalOperationError } from 'amqplib';
import type { OutboxRow } from './outbox-rows.ts';

/**
 * Time limit for publishing a batch and its confirms together. The transaction that holds the rows is idle meanwhile, and
 * PostgreSQL ends idle transactions of the relay after 10 s.
 */
export const confirmTimeoutMs = 5_000;

/** An event that the broker, or its client library, rejects. */
export interface Rejection {
  row: OutboxRow;
  reason: string;
}

interface Published {
  /** Events that were passed to the channel. */
  sent: OutboxRow[];
  rejected: Rejection[];
  /** Resolves once every event is confirmed; rejects when the channel closes before. */
  confirms: Promise<void>;
  /** Time left for the confirms, in milliseconds. */
  remainingMs: number;
}

/**
 * Publishes events without waiting for their confirms. Whenever the socket's buffer is full it waits until it has
 * drained, for at most 5 s in total; after that a batch is small enough to be buffered completely.
 */
export async function publishBatch(
  channel: ConfirmChannel,
  exchange: string,
  rows: readonly OutboxRow[],
  { headersOf }: { headersOf(id: string): Record<string, string> },
): Promise<Published> {
  const sent: OutboxRow[] = [];
  const rejected: Rejection[] = [];
  const deadline = performance.now() + confirmTimeoutMs;
  const remainingMs = () => Math.max(deadline - performance.now(), 0);
  let mayWait = true;
  for (const row of rows) {
    let hasRoom: boolean;
    try {
      hasRoom = channel.publish(exchange, row.name, contentOf(row), {
        persistent: true,
        mandatory: true,
        messageId: row.id,
        headers: headersOf(row.id),
        contentType: 'application/json',
      });
    } catch (error) {
      // The channel is closed.
      if (error instanceof IllegalOperationError) throw error;
      rejected.push({ row, reason: String(error) });
      continue;
    }
    sent.push(row);
    if (!hasRoom && mayWait) mayWait = await waitForDrain(channel, remainingMs());
  }
  return { sent, rejected, confirms: channel.waitForConfirms(), remainingMs: remainingMs() };
}

/**
 * The message with the position of its row as `sequence`. A record is locked while its events are written, so its later events
 * have higher positions. In the message it survives retries and dead letters.
 */
function contentOf({ position, message }: OutboxRow): Buffer {
  return Buffer.from(`{"sequence":${position},${message.slice(1)}`);
}

/** Resolves to whether the buffer drained within `ms`; a closed channel counts as drained. */
function waitForDrain(channel: ConfirmChannel, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (hasDrained: boolean) => {
      clearTimeout(timer);
      channel.off('drain', onDrain).off('close', onDrain);
      resolve(hasDrained);
    };
    const onDrain = () => end(true);
    const timer = setTimeout(() => end(false), ms);
    channel.on('drain', onDrain).on('close', onDrain);
  });
}

const pollMs = 100;

/**
 * Waits for work; resolves to whether it is still unfinished after `ms`. Rejects if the work does.
 * @param isEnough ends the wait early
 */
export async function isLate(work: Promise<void>, ms: number, isEnough?: () => boolean): Promise<boolean> {
  const timers: NodeJS.Timeout[] = [];
  const late = new Promise<true>((resolve) => {
    timers.push(setTimeout(resolve, ms, true));
    if (isEnough) timers.push(setInterval(() => isEnough() && resolve(true), pollMs));
  });
  return Promise.race([work.then(() => false), late]).finally(() => {
    for (const timer of timers) clearTimeout(timer);
  });
}
