import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

/** What ties log lines, calls and events of one request together. The trace part is W3C Trace Context. */
export interface Trace {
  requestId: string;
  traceId: string;
  spanId: string;
  sampled: boolean;
}

const running = new AsyncLocalStorage<Trace>();

/** Runs `work` as part of a trace: logs, outgoing calls and events inside it carry the trace. */
export function withTrace<T>(trace: Trace, work: () => T): T {
  return running.run(trace, work);
}

/** The trace of the moment; undefined outside of any request or event. */
export function currentTrace(): Trace | undefined {
  return running.getStore();
}

/** A new trace, for work that no request asked for. */
export function newTrace(requestId: string): Trace {
  return { requestId, traceId: randomHex(16), spanId: randomHex(8), sampled: true };
}

/** Continues the trace of a `traceparent` header with a span of our own; starts a new one when the header is absent or malformed. */
export function readTrace(traceparent: string | undefined, requestId: string): Trace {
  const [, traceId, parent, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? '') ?? [];
  if (!traceId || !parent || !flags || /^0+$/.test(traceId) || /^0+$/.test(parent)) return newTrace(requestId);
  return { requestId, traceId, spanId: randomHex(8), sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The `traceparent` to send with a call or event that belongs to this trace. */
export function childTrace(trace: Trace): string {
  return `00-${trace.traceId}-${trace.spanId}-${trace.sampled ? '01' : '00'}`;
}

const pool = { bytes: Buffer.alloc(0), at: 0 };

/** Random hex of `size` bytes, cut from blocks: one system call serves hundreds of requests. */
export function randomHex(size: number): string {
  if (pool.at + size > pool.bytes.length) {
    pool.bytes = randomBytes(8192);
    pool.at = 0;
  }
  pool.at += size;
  return pool.bytes.toString('hex', pool.at - size, pool.at);
}
