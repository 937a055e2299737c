import {
  type Attributes,
  type Link,
  trace as openTelemetry,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { currentTrace, newTrace, readTrace, type Trace, withTrace } from './trace.ts';

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** How a span begins. Names and attributes follow the OpenTelemetry semantic conventions and hold no personal data. */
export interface SpanStart {
  /** One of few: `POST /v1/leads`, never a name with an id in it. */
  name: string;
  kind: keyof typeof kinds;
  attributes?: Attributes;
  /** Spans that this work also belongs to, beside its parent. */
  links?: readonly Trace[];
}

/** How a span ended: with an error, or with a status of the API that means one. */
export interface SpanEnd {
  name?: string;
  attributes?: Attributes;
  /** Only its code or class is recorded: a message may contain personal data. */
  error?: unknown;
}

let tracer: Tracer | undefined;

/**
 * Begins or ends the recording of spans in this process. Until a tracer is set, the functions of this file only pass the
 * trace on, at no cost.
 */
export function recordSpansWith(made: Tracer | undefined): void {
  tracer = made;
}

/** Whether this process records spans. */
export function recordsSpans(): boolean {
  return tracer !== undefined;
}

/**
 * Continues the trace of a `traceparent`, or starts a new one when there is none or it is malformed.
 * @param start a span of this process within the trace, which must be ended by `endSpan`; none by default
 */
export function startTrace(requestId: string, traceparent: string | undefined, start?: SpanStart): Trace {
  const parent = readTrace(traceparent, requestId);
  if (tracer && start) return begin(tracer, parent ?? { requestId }, start);
  return parent ?? newTrace(requestId);
}

/** Starts a span below that of `parent`, to be ended by `endSpan`; returns `parent` itself while no spans are recorded. */
export function startSpan(parent: Trace, start: SpanStart): Trace {
  return tracer ? begin(tracer, parent, start) : parent;
}

/** Ends the span of a trace, if it has one. */
export function endSpan({ span }: Trace, { name, attributes, error }: SpanEnd = {}): void {
  if (!span) return;
  if (name !== undefined) span.updateName(name);
  if (attributes) span.setAttributes(attributes);
  if (error !== undefined) {
    span.setAttribute('error.type', errorType(error));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** Runs `work` in a span below the current one. Outside of any trace, or while no spans are recorded, just runs it. */
export function withSpan<T>(start: SpanStart, work: () => Promise<T>): Promise<T> {
  const parent = tracer && currentTrace();
  return parent ? inside(startSpan(parent, start), work) : work();
}

async function inside<T>(trace: Trace, work: () => Promise<T>): Promise<T> {
  let end: SpanEnd = {};
  try {
    return await withTrace(trace, work);
  } catch (error) {
    end = { error };
    throw error;
  } finally {
    endSpan(trace, end);
  }
}

/** @param parent without a trace id, a new trace begins */
function begin(by: Tracer, parent: Trace | Pick<Trace, 'requestId'>, start: SpanStart): Trace {
  const { name, kind, attributes = {}, links = [] } = start;
  const from = 'traceId' in parent ? parent : undefined;
  const context = from ? openTelemetry.setSpanContext(ROOT_CONTEXT, contextOf(from)) : ROOT_CONTEXT;
  const span = by.startSpan(name, { kind: kinds[kind], attributes, links: links.map(linkTo) }, context);
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    requestId: parent.requestId,
    traceId,
    spanId,
    sampled: (traceFlags & TraceFlags.SAMPLED) !== 0,
    tenantId: from?.tenantId,
    span,
  };
}

function contextOf({ traceId, spanId, sampled, span }: Trace): SpanContext {
  if (span) return span.spanContext();
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

function linkTo(trace: Trace): Link {
  return { context: contextOf(trace) };
}

const plainCode = /^\w{1,64}$/;

/** The code of an error if it has one, else its class: `ECONNREFUSED`, `validation_failed`, `TypeError`. */
function errorType(error: unknown): string {
  const { code, name } = (typeof error === 'object' && error !== null ? error : { code: error }) as {
    code?: unknown;
    name?: unknown;
  };
  return [code, name].find((one): one is string => typeof one === 'string' && plainCode.test(one)) ?? 'Error';
}
