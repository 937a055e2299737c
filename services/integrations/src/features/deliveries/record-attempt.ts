import type { Emit } from '@tandem/events';
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

interface Transaction {
  tx: Tx;
  emit: Emit;
}

// A receiver sends this response header to stop retries of a message.
const abortHeader = 'webhook-delivery';
const abortValue = 'abort-message';

/**
 * Stores an attempt and updates the delivery and the health of the webhook.
 * @returns when the next attempt is due; undefined when none is scheduled
 */
export async function recordAttempt(
  { tx, emit }: Transaction,
  attempt: AttemptResult,
  schedules: Schedules,
): Promise<Date | undefined> {
  const { due, trigger, outcome } = attempt;
  await storeAttempt(tx, attempt);
  if (outcome.error === null) {
    await recordSuccess(tx, emit, due.webhookId, due);
    await countAttempt(tx, attempt, ended('succeeded'));
    return undefined;
  }
  const health = await recordFailure(tx, emit, due.webhookId, outcome);
  // A failed manual attempt leaves status and schedule as they are.
  if (trigger === 'manual') {
    await countAttempt(tx, attempt);
    return undefined;
  }
  const finalStatus = statusWithoutRetry(outcome, health);
  if (finalStatus) {
    await countAttempt(tx, attempt, ended(finalStatus));
    return undefined;
  }
  const [counted] = await countAttempt(tx, attempt);
  const next = schedules.next(due.environment, counted?.attemptCount ?? 0, requestedRetryAt(outcome));
  if (next) await tx.delivery.updateMany({ where: { id: due.id }, data: { status: 'retrying', nextAttemptAt: next } });
  else await exhaust({ tx, emit }, due);
  return next;
}

async function storeAttempt(tx: Tx, { due, number, trigger, outcome, requestHeaders }: AttemptResult): Promise<void> {
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
}

type DeliveryChange = NonNullable<Parameters<Tx['delivery']['updateManyAndReturn']>[0]['data']>;

/** Counts the attempt and stores its outcome on the delivery. Manual attempts have their own counter. */
function countAttempt(tx: Tx, { due, trigger, outcome }: AttemptResult, change: DeliveryChange = {}) {
  const counter = trigger === 'manual' ? { manualAttemptCount: { increment: 1 } } : { attemptCount: { increment: 1 } };
  return tx.delivery.updateManyAndReturn({
    where: { id: due.id },
    data: { ...counter, lastStatusCode: outcome.statusCode, lastError: outcome.error, ...change },
  });
}

function ended(status: 'succeeded' | 'failed' | 'skipped' | 'cancelled') {
  return { status, completedAt: new Date(), nextAttemptAt: null };
}

/** The final status after a failure that must not be retried; undefined when the schedule decides. */
function statusWithoutRetry({ statusCode, responseHeaders }: Outcome, { active, deletedAt }: Health) {
  if (deletedAt) return 'cancelled';
  // 410 means that the endpoint no longer exists.
  if (statusCode === 410 || responseHeaders?.[abortHeader]?.trim().toLowerCase() === abortValue) return 'failed';
  return active ? undefined : 'skipped';
}

/** Retry-After delays the next attempt only with status 429 or 503. */
function requestedRetryAt({ statusCode, responseHeaders }: Outcome): Date | undefined {
  return statusCode === 429 || statusCode === 503 ? readRetryAfter(responseHeaders?.['retry-after']) : undefined;
}

/** Marks a delivery as failed because its schedule has no further attempt. */
async function exhaust({ tx, emit }: Transaction, due: DueDelivery): Promise<void> {
  const [failed] = await tx.delivery.updateManyAndReturn({ where: { id: due.id }, data: ended('failed') });
  // A failed delivery of a webhook event emits no event, otherwise unreachable receivers would cause an endless loop.
  if (!failed || due.event.startsWith('webhook.')) return;
  emit(deliveryExhausted, {
    data: { webhookId: due.webhookId, deliveryId: due.id, eventId: due.eventId, event: due.event },
    record: asDelivery(failed),
  });
}
