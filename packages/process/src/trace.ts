import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Span } from '@opentelemetry/api';

/** What ties log lines, calls, events and jobs of one request together. The trace part is W3C Trace Context. */
export interface Trace {
  requestId: string;
  traceId: string;
  /** The span that calls, events and jobs of this work become children of. */
  spanId: string;
  sampled: boolean;
  /** Appears in log lines. */
  tenantId?: number | undefined;
  /** The span itself; undefined while this process records no spans (see span.ts). */
  span?: Span | undefined;
}

const running = new AsyncLocalStorage<Trace>();

/** Runs `work` as part of a trace: logs, outgoing calls and events inside it carry the trace. */
export function withTrace<T>(trace: Trace, work: () => T): T {
  return running.run(trace, work);
}

/** The trace of the current asynchronous context; undefined outside of any request, event or job. */
export function currentTrace(): Trace | undefined {
  return running.getStore();
}

/** A new trace, for work that belongs to no other. */
export function newTrace(requestId: string): Trace {
  return { requestId, traceId: randomHex(16), spanId: randomHex(8), sampled: true };
}

/**
 * The trace of a `traceparent` header, or undefined when the header is absent or malformed. The span id stays that of the
 * header: a process that records no spans passes the header on as it came, so that the spans of its neighbours connect.
 */
export function readTrace(traceparent: string | undefined, requestId: string): Trace | undefined {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? '') ?? [];
  if (!traceId || !spanId || !flags || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { requestId, traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The `traceparent` to send with a call, event or job that belongs to this trace. */
export function traceparentOf(trace: Pick<Trace, 'traceId' | 'spanId' | 'sampled'>): string {
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
