import type { Log, Metrics } from '@tandem/process';
import type { ConsumeMessage } from 'amqplib';
import { describeError, OtherReleaseError, PermanentError } from './errors.ts';
import { republish, type Session } from './session.ts';
import { attemptsMax, type EventTimings, type Names } from './topology.ts';

/**
 * Publishes a message that could not be handled to a delay or dead-letter queue, depending on the error, and
 * acknowledges it.
 */
export type PutAside = (session: Session, message: ConsumeMessage, error: unknown) => Promise<void>;

/** Counters of all consumers of a process. */
type PutAsideCounters = ReturnType<typeof putAsideCounters>;

/**
 * @param queues of the consumers, whose failures are counted from zero so that Prometheus sees the first one as an
 * increase
 */
export function putAsideCounters(metrics: Metrics, queues: readonly string[]) {
  const retried = metrics.counter('events_retried_total', 'Failed attempts that will be retried', ['consumer']);
  const deferred = metrics.counter(
    'events_deferred_total',
    'Times an event was deferred because only another release can read it',
    ['consumer'],
  );
  for (const counter of [retried, deferred]) for (const consumer of queues) counter.inc({ consumer }, 0);
  return {
    retried,
    deferred,
    deadLettered: metrics.counter('events_dead_lettered_total', 'Events that became dead letters', [
      'consumer',
      'reason',
    ]),
  };
}

/**
 * Decides what happens to an event that could not be handled. Each function moves the message with `republish`:
 *
 * | error | function | next |
 * |---|---|---|
 * | `PermanentError`, also `UnreadableError` | `deadLetter` | dead letter at once |
 * | `OtherReleaseError` | `defer` | delay without counting an attempt; after `deferralMaxMs` a dead letter |
 * | any other | `retry` | delay, then the next attempt; after ten attempts a dead letter |
 */
export function createPutAside(options: {
  queue: string;
  names: Names;
  timings: EventTimings;
  counters: PutAsideCounters;
  log: Log;
}): PutAside {
  const { queue, names, timings, counters, log } = options;
  const { retryDelaysMs, deferralMaxMs } = timings;
  /** Kinds of deferred events that have been logged, because there may be thousands of each kind. */
  const logged = new Set<string>();

  const deadLetter = async (session: Session, message: ConsumeMessage, reason: string, error: unknown) => {
    log.error('event became a dead letter', { consumer: queue, event: eventName(message), reason, error });
    const headers = { 'x-reason': reason, 'x-error': describeError(error), 'x-died-at': new Date().toISOString() };
    await republish(session, message, { exchange: names.dead, queue, headers });
    counters.deadLettered.inc({ consumer: queue, reason });
  };

  const retry = async (session: Session, message: ConsumeMessage, error: unknown) => {
    const attempt = Number(message.properties.headers?.['x-attempt'] ?? 1);
    if (attempt >= attemptsMax) return deadLetter(session, message, 'attempts_exhausted', error);
    const delayMs = retryDelaysMs[Math.min(attempt, retryDelaysMs.length) - 1] as number;
    const event = eventName(message);
    log.warn('event failed, will retry', { consumer: queue, event, attempt, delayMs, error });
    const headers = { 'x-attempt': attempt + 1, 'x-event': event };
    await republish(session, message, { exchange: names.delay(delayMs), queue, headers });
    counters.retried.inc({ consumer: queue });
  };

  const defer = async (session: Session, message: ConsumeMessage, error: OtherReleaseError) => {
    const headers = message.properties.headers ?? {};
    const deferredAt = String(headers['x-deferred-at'] ?? new Date().toISOString());
    if (Date.now() - Date.parse(deferredAt) > deferralMaxMs) return deadLetter(session, message, error.reason, error);
    const deferrals = Number(headers['x-deferrals'] ?? 0) + 1;
    const event = eventName(message);
    if (!logged.has(`${event} ${error.reason}`)) {
      logged.add(`${event} ${error.reason}`);
      log.warn('event of another release deferred', { consumer: queue, event, reason: error.reason, error });
    }
    await republish(session, message, {
      exchange: names.delay(deferralDelayMs(deferrals, retryDelaysMs)),
      queue,
      headers: { 'x-deferrals': deferrals, 'x-deferred-at': deferredAt, 'x-event': event },
    });
    counters.deferred.inc({ consumer: queue });
  };

  return async (session, message, error) => {
    if (error instanceof OtherReleaseError) return defer(session, message, error);
    if (error instanceof PermanentError) return deadLetter(session, message, error.reason, error);
    return retry(session, message, error);
  };
}

// During a release, a redelivery soon reaches an instance that can read the event. After five tries the release is
// paused or was rolled back, and the delays grow.
const deferralsPerDelay = 5;

function deferralDelayMs(deferrals: number, delaysMs: readonly number[]): number {
  const step = Math.floor((deferrals - 1) / deferralsPerDelay);
  return delaysMs[Math.min(step, delaysMs.length - 1)] as number;
}

/**
 * The name of the event: the routing key at first; after a delay a header, because the routing key is then the queue
 * name.
 */
function eventName({ fields, properties }: ConsumeMessage): string {
  return String(properties.headers?.['x-event'] ?? fields.routingKey);
}
