import { type ConfirmChannel, IllegalOperationError } from 'amqplib';
import type { OutboxRow } from './outbox-rows.ts';

export const confirmTimeoutMs = 5_000;

/** An event that the broker, or its client library, does not accept. */
export interface Refusal {
  row: OutboxRow;
  reason: string;
}

interface Published {
  /** Events that were handed to the channel. */
  sent: OutboxRow[];
  refused: Refusal[];
  /** Resolves once every event is confirmed; rejects when the channel closes before. */
  confirms: Promise<void>;
}

/**
 * Publishes events without waiting for their confirms. When the socket's buffer is full it waits for up to 5 s until it has
 * drained; a batch is small enough to be buffered whole after that.
 */
export async function publishBatch(
  channel: ConfirmChannel,
  exchange: string,
  rows: readonly OutboxRow[],
  { headersOf }: { headersOf(id: string): Record<string, string> },
): Promise<Published> {
  const sent: OutboxRow[] = [];
  const refused: Refusal[] = [];
  let mayWait = true;
  for (const row of rows) {
    let hasRoom: boolean;
    try {
      hasRoom = channel.publish(exchange, row.name, Buffer.from(row.message), {
        persistent: true,
        mandatory: true,
        messageId: row.id,
        headers: headersOf(row.id),
        contentType: 'application/json',
      });
    } catch (error) {
      // The channel is closed.
      if (error instanceof IllegalOperationError) throw error;
      refused.push({ row, reason: String(error) });
      continue;
    }
    sent.push(row);
    if (!hasRoom && mayWait) mayWait = await drained(channel);
  }
  return { sent, refused, confirms: channel.waitForConfirms() };
}

/** Resolves to whether the buffer drained in time; an ended channel counts as drained. */
function drained(channel: ConfirmChannel): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (hasDrained: boolean) => {
      clearTimeout(timer);
      channel.off('drain', onDrain).off('close', onDrain);
      resolve(hasDrained);
    };
    const onDrain = () => end(true);
    const timer = setTimeout(() => end(false), confirmTimeoutMs);
    channel.on('drain', onDrain).on('close', onDrain);
  });
}

const pollMs = 100;

/**
 * Waits for work; resolves to whether it is still unfinished after `ms`. Rejects as the work does.
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
