import {
  delayBuckets,
  endSpan,
  type Metrics,
  recordsSpans,
  type SpanEnd,
  startTrace,
  type Trace,
  traceparentOf,
  withTrace,
} from '@tandem/process';
import type { Delivery } from './delivery.ts';
import type { EventMessage } from './outbox.ts';

/** Measures the consumers of a service and adds their work to the traces of their events. */
export interface ConsumerObserver {
  /** Runs the handling of a group of events of one tenant, in the trace of the first one. */
  handle(queue: string, group: readonly Delivery[], work: () => Promise<void>): Promise<void>;
  /** Runs work in the trace of an event, without a span, so that its log lines contain trace and tenant. */
  inTrace<T>(delivery: Delivery, work: () => Promise<T>): Promise<T>;
}

/** Exports the metrics of consumers. */
export function observeConsumers(metrics: Metrics): ConsumerObserver {
  const consumed = metrics.counter('events_consumed_total', 'Handled events', ['consumer']);
  const age = metrics.histogram(
    'event_age_seconds',
    'Time from emitting an event to the start of its handling',
    ['consumer'],
    delayBuckets,
  );
  const seconds = metrics.histogram('event_handling_seconds', 'Time to handle a batch of events in one transaction', [
    'consumer',
    'outcome',
  ]);

  const measured = async (queue: string, group: readonly Delivery[], work: () => Promise<void>) => {
    const began = performance.now();
    const now = Date.now();
    // The clock of another machine may be ahead.
    for (const { received } of group)
      age.observe({ consumer: queue }, Math.max(0, now - received.occurredAt.getTime()) / 1_000);
    const ended = (outcome: string) =>
      seconds.observe({ consumer: queue, outcome }, (performance.now() - began) / 1_000);
    try {
      await work();
    } catch (error) {
      ended('failed');
      throw error;
    }
    ended('handled');
    consumed.inc({ consumer: queue }, group.length);
  };

  return {
    handle: (queue, group, work) => inSpans(queue, group, () => measured(queue, group, work)),
    inTrace: (delivery, work) => withTrace(traceOf(delivery), work),
  };
}

/**
 * Runs work for several events, which may belong to several traces: each event gets a span in its own trace. Operations
 * of the work (queries, events, jobs) are children of the first span; the other spans link to it.
 */
async function inSpans(queue: string, group: readonly Delivery[], work: () => Promise<void>): Promise<void> {
  const [first, ...others] = group;
  const main = traceOf(first as Delivery, spanOf(queue, first as Delivery, group.length));
  const linked = recordsSpans()
    ? others.map((delivery) => traceOf(delivery, { ...spanOf(queue, delivery, group.length), links: [main] }))
    : [];
  let end: SpanEnd = {};
  try {
    await withTrace(main, work);
  } catch (error) {
    end = { error };
    throw error;
  } finally {
    for (const trace of [main, ...linked]) endSpan(trace, end);
  }
}

function spanOf(queue: string, { event }: Delivery, groupSize: number) {
  return {
    name: `process ${event.name}`,
    kind: 'consumer' as const,
    attributes: {
      'messaging.system': 'rabbitmq',
      'messaging.operation.type': 'process',
      'messaging.operation.name': 'process',
      'messaging.destination.name': event.name,
      'messaging.consumer.group.name': queue,
      'messaging.message.id': event.id,
      'messaging.batch.message_count': groupSize,
      'tandem.tenant_id': event.tenantId,
    },
  };
}

/** The trace of an event: a child of its publication if that was recorded, else of the span that emitted it. */
function traceOf({ message, event }: Delivery, span?: Parameters<typeof startTrace>[2]): Trace {
  const published: unknown = message.properties.headers?.['traceparent'];
  const traceparent = typeof published === 'string' ? published : event.traceparent;
  const trace = startTrace(event.caller.requestId, traceparent, span);
  trace.tenantId = event.tenantId;
  return trace;
}

/** Measures the publication of outbox rows and records a span for each event. */
export interface RelayObserver {
  /** Begins the publication of rows. Ends with `confirmed`, or with `late` when the confirms time out. */
  publishing(rows: readonly { id: string; message: string }[]): {
    /** The AMQP headers of a row's message. */
    headersOf(id: string): Record<string, string>;
    confirmed(): void;
    late(): void;
  };
}

/** Exports the metrics of the relay. */
export function observeRelay(metrics: Metrics): RelayObserver {
  const seconds = metrics.histogram(
    'outbox_publish_seconds',
    'Time from publishing a batch of events to its last confirm; a late batch is counted with the timeout',
    ['outcome'],
  );
  return {
    publishing(rows) {
      const began = performance.now();
      const traces = recordsSpans() ? new Map(rows.map((row) => [row.id, publication(row)])) : undefined;
      const ended = (outcome: string, end?: SpanEnd) => {
        seconds.observe({ outcome }, (performance.now() - began) / 1_000);
        for (const trace of traces?.values() ?? []) endSpan(trace, end);
      };
      return {
        headersOf(id) {
          const trace = traces?.get(id);
          return trace ? { traceparent: traceparentOf(trace) } : {};
        },
        confirmed: () => ended('confirmed'),
        late: () => ended('late', { error: 'late_confirm' }),
      };
    },
  };
}

function publication({ id, message }: { id: string; message: string }): Trace {
  const { name, traceparent, caller, tenantId } = JSON.parse(message) as EventMessage;
  return startTrace(caller.requestId, traceparent, {
    name: `publish ${name}`,
    kind: 'producer',
    attributes: {
      'messaging.system': 'rabbitmq',
      'messaging.operation.type': 'send',
      'messaging.operation.name': 'publish',
      'messaging.destination.name': name,
      'messaging.message.id': id,
      'tandem.tenant_id': tenantId,
    },
  });
}
