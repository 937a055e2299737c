import type { Log, Metrics } from '@tandem/process';
import type { Exchange } from '../exchange.ts';
import { frameOf } from './call-frame.ts';

/** Sends one batch of frames; rejects if it was not stored. */
export type SendCalls = (batch: Buffer) => Promise<void>;

/** Collects finished calls for the API log of integrations. */
export interface ApiLog {
  /**
   * Adds a finished call. Never waits and never throws.
   * @param call.arrivedAt by performance.now()
   * @param call.path the path without secrets
   */
  add(exchange: Exchange, call: { arrivedAt: number; durationMs: number; path: string }): void;
  /** Sends the remaining calls. */
  close(): Promise<void>;
}

/** A sender that refuses a batch for good: it is not sent again. */
export class RefusedBatchError extends Error {}

interface Batch {
  bytes: Buffer;
  length: number;
  calls: number;
}

const flushMs = 1_000;
const batchCalls = 200;
const batchBytes = 512 * 1024;
const batchesMax = 16;
const attemptsMax = 10;
const lastAttempts = 2;
// A UTF-16 code unit has at most three bytes in UTF-8.
const bytesPerUnit = 3;
const sequenceMax = 0x7fff_ffff;

/**
 * Writes finished calls into batches of at most 200, and sends these one after the other, at least every second. The memory is
 * bounded: 16 batches of 512 KiB, which are reused. When they are full, because the service stores less than arrives, further
 * calls are dropped and counted. A batch is sent ten times at most; storing it twice has no effect. A crash of the process loses
 * what waits.
 */
export function createApiLog(
  send: SendCalls,
  { log, metrics, everyMs = flushMs }: { log: Log; metrics: Metrics; everyMs?: number },
): ApiLog {
  const dropped = metrics.counter('api_log_dropped_calls_total', 'Calls that are missing in the API log', ['reason']);
  for (const reason of ['full', 'unsent']) dropped.inc({ reason }, 0);
  const free: Buffer[] = [];
  const waiting: Batch[] = [];
  let allocated = 0;
  let current = openBatch();
  let sequence = 0;
  let isClosing = false;
  let busy: Promise<void> | undefined;
  metrics.gauge('api_log_waiting_calls', 'Calls that are not sent to the API log yet', [], (gauge) =>
    gauge.set(waiting.reduce((sum, { calls }) => sum + calls, current?.calls ?? 0)),
  );

  function openBatch(): Batch | undefined {
    const bytes = free.pop() ?? (allocated++ < batchesMax ? Buffer.allocUnsafeSlow(batchBytes) : undefined);
    if (!bytes) allocated = batchesMax;
    return bytes && { bytes, length: 0, calls: 0 };
  }

  function seal(): void {
    if (!current?.calls) return;
    waiting.push(current);
    current = openBatch();
    void run();
  }

  function put(frame: string): void {
    if (current && current.length + frame.length * bytesPerUnit > batchBytes) seal();
    current ??= openBatch();
    if (!current) return void dropped.inc({ reason: 'full' });
    current.length += current.bytes.write(frame, current.length);
    if (++current.calls === batchCalls) seal();
  }

  function run(): Promise<void> {
    busy ??= sendWaiting().finally(() => {
      busy = undefined;
    });
    return busy;
  }

  async function sendWaiting(): Promise<void> {
    for (let batch = waiting[0]; batch; batch = waiting[0]) {
      if (!(await sendBatch(batch))) dropped.inc({ reason: 'unsent' }, batch.calls);
      waiting.shift();
      free.push(batch.bytes);
    }
  }

  async function sendBatch({ bytes, length, calls }: Batch): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        await send(bytes.subarray(0, length));
        return true;
      } catch (error) {
        const isLast = error instanceof RefusedBatchError || attempt >= (isClosing ? lastAttempts : attemptsMax);
        if (attempt === 1 || isLast)
          log.warn(isLast ? 'API calls not logged' : 'API calls not logged yet', { error, calls });
        if (isLast) return false;
        if (!isClosing) await new Promise((resolve) => setTimeout(resolve, everyMs).unref());
      }
    }
  }

  const timer = setInterval(seal, everyMs);
  timer.unref();

  return {
    add(exchange, { arrivedAt, durationMs, path }) {
      try {
        sequence = sequence === sequenceMax ? 0 : sequence + 1;
        const at = Date.now() - (performance.now() - arrivedAt);
        const frame = frameOf(exchange, { at, sequence, durationMs, path });
        if (frame !== undefined) put(frame);
      } catch (error) {
        log.error('call not logged', { error, requestId: exchange.requestId });
      }
    },
    async close() {
      clearInterval(timer);
      isClosing = true;
      seal();
      await run();
    },
  };
}
