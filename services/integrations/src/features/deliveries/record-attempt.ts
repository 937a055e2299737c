import type { Emit, Schedule } from '@tandem/events';
import { deliveryExhausted } from '@tandem/integrations-contract';
import type { Tx } from '../../handler.ts';
import { readRetryAfter, type Schedules } from '../../outgoing/retry-schedule.ts';
import type { Outcome } from '../../outgoing/send.ts';
import { type Health, recordFailure, recordSuccess } from '../webhooks/health.ts';
import { asDelivery, type DueDelivery } from './delivery.ts';

/** A completed attempt of a delivery. */
export interface AttemptResult {
  due: DueDelivery;
  number: number;
  trigger: 'scheduled' | 'manual';
  outcome: Outcome;
  requestHeaders: Record<string, string>;
}

interface JobTransaction {
  tx: Tx;
  emit: Emit;
  schedule: Schedule;
}

// A receiver sends this response header to stop retries of a message.
const abortHeader = 'webhook-delivery';
const abortValue = 'abort-message';

/**
 * Stores an attempt and updates the delivery and the health of the webhook.
 * @returns when the next attempt is due
 */
export async function recordAttempt(
  { tx, emit }: JobTransaction,
  attempted: AttemptResult,
  schedules: Schedules,
): Promise<Date | undefined> {
  const { due, number, trigger, outcome, requestHeaders } = attempted;
  const { startedAt, durationMs, statusCode, error, responseHeaders, responseBody } = outcome;
  await tx.attempt.createMany({
    data: {
      deliveryId: due.id,
      number,
      trigger,
      startedAt,
      durationMs,
      statusCode,
      error,
      requestHeaders,
      responseBody,
      ...(responseHeaders && { responseHeaders }),
    },
  });
  if (error === null) {
    await recordSuccess(tx, emit, due.webhookId, due);
    await settle(tx, attempted, { status: 'succeeded', completedAt: new Date(), nextAttemptAt: null });
    return undefined;
  }
  const health = await recordFailure(tx, emit, due.webhookId, outcome);
  if (trigger === 'manual') {
    await settle(tx, attempted, {});
    return undefined;
  }
  return scheduleRetryOrEnd({ tx, emit }, attempted, health, schedules);
}

async function scheduleRetryOrEnd(
  { tx, emit }: Pick<JobTransaction, 'tx' | 'emit'>,
  attempted: AttemptResult,
  health: Health,
  schedules: Schedules,
): Promise<Date | undefined> {
  const { due, outcome } = attempted;
  const ended = { completedAt: new Date(), nextAttemptAt: null };
  const final = finalStatus(outcome, health);
  if (final) {
    await settle(tx, attempted, { status: final, ...ended });
    return undefined;
  }
  const [row] = await settle(tx, attempted, {});
  const next = schedules.next(due.environment, row?.attemptCount ?? 0, requestedRetryAt(outcome));
  if (next) {
    await tx.delivery.updateMany({ where: { id: due.id }, data: { status: 'retrying', nextAttemptAt: next } });
    return next;
  }
  const [failed] = await tx.delivery.updateManyAndReturn({
    where: { id: due.id },
    data: { status: 'failed', ...ended },
  });
  // A failed delivery of a webhook event emits no event, otherwise unreachable receivers would cause an endless loop.
  if (!failed || due.event.startsWith('webhook.')) return undefined;
  emit(deliveryExhausted, {
    data: { webhookId: due.webhookId, deliveryId: due.id, eventId: due.eventId, event: due.event },
    record: asDelivery(failed),
  });
  return undefined;
}

/** Final status of a delivery whose retries end before the schedule does. */
function finalStatus({ statusCode, responseHeaders }: Outcome, { active, deletedAt }: Health): string | undefined {
  if (deletedAt) return 'cancelled';
  // A receiver that is gone, or that aborts this message, gets no more attempts.
  if (statusCode === 410 || responseHeaders?.[abortHeader]?.trim().toLowerCase() === abortValue) return 'failed';
  return active ? undefined : 'skipped';
}

type Change = NonNullable<Parameters<Tx['delivery']['updateManyAndReturn']>[0]['data']>;

/** Manual attempts have their own counter and change the status only when they succeed. */
function settle(tx: Tx, { due, trigger, outcome }: AttemptResult, change: Change) {
  const counted = trigger === 'manual' ? { manualAttemptCount: { increment: 1 } } : { attemptCount: { increment: 1 } };
  return tx.delivery.updateManyAndReturn({
    where: { id: due.id },
    data: { ...counted, lastStatusCode: outcome.statusCode, lastError: outcome.error, ...change },
  });
}

/** Retry-After delays the next attempt only with status 429 or 503. */
function requestedRetryAt({ statusCode, responseHeaders }: Outcome): Date | undefined {
  return statusCode === 429 || statusCode === 503 ? readRetryAfter(responseHeaders?.['retry-after']) : undefined;
}
