import type { Emit, Schedule } from '@tandem/events';
import { deliveryExhausted } from '@tandem/integrations-contract';
import type { Tx } from '../../handler.ts';
import { readRetryAfter, type Schedules } from '../../outgoing/retry-schedule.ts';
import type { Outcome } from '../../outgoing/send.ts';
import { type Health, noteFailure, noteSuccess } from '../webhooks/health.ts';
import { asDelivery, type Due } from './delivery.ts';

/** One attempt that was made. */
export interface Attempted {
  due: Due;
  number: number;
  trigger: 'scheduled' | 'manual';
  outcome: Outcome;
  requestHeaders: Record<string, string>;
}

interface Inside {
  tx: Tx;
  emit: Emit;
  schedule: Schedule;
}

// A receiver that will never want this message says so with this header.
const abortHeader = 'webhook-delivery';
const abortValue = 'abort-message';

/**
 * Writes down an attempt and what follows from it, for the delivery and for the webhook.
 * @returns when the next attempt is due
 */
export async function recordAttempt(
  { tx, emit }: Inside,
  attempted: Attempted,
  schedules: Schedules,
): Promise<Date | undefined> {
  const { due, number, trigger, outcome, requestHeaders } = attempted;
  const { startedAt, durationMs, statusCode, error, responseHeaders, responseBody } = outcome;
  await tx.attempt.createMany({
    data: {
      ...{
        deliveryId: due.id,
        number,
        trigger,
        startedAt,
        durationMs,
        statusCode,
        error,
        requestHeaders,
        responseBody,
      },
      ...(responseHeaders && { responseHeaders }),
    },
  });
  if (error === null) {
    await noteSuccess(tx, emit, due.webhookId, due);
    await settle(tx, attempted, { status: 'succeeded', completedAt: new Date(), nextAttemptAt: null });
    return undefined;
  }
  const health = await noteFailure(tx, emit, due.webhookId, outcome);
  if (trigger === 'manual') {
    await settle(tx, attempted, {});
    return undefined;
  }
  return afterFailure({ tx, emit }, attempted, health, schedules);
}

async function afterFailure(
  { tx, emit }: Pick<Inside, 'tx' | 'emit'>,
  attempted: Attempted,
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
  const next = schedules.next(due.environment, row?.attemptCount ?? 0, askedFor(outcome));
  if (next) {
    await tx.delivery.updateMany({ where: { id: due.id }, data: { status: 'retrying', nextAttemptAt: next } });
    return next;
  }
  const [failed] = await tx.delivery.updateManyAndReturn({
    where: { id: due.id },
    data: { status: 'failed', ...ended },
  });
  // Receivers that are all down would have no end of telling each other so.
  if (!failed || due.event.startsWith('webhook.')) return undefined;
  emit(deliveryExhausted, {
    data: { webhookId: due.webhookId, deliveryId: due.id, eventId: due.eventId, event: due.event },
    record: asDelivery(failed),
  });
  return undefined;
}

/** What ends a delivery before its schedule does. */
function finalStatus({ statusCode, responseHeaders }: Outcome, { active, deletedAt }: Health): string | undefined {
  if (deletedAt) return 'cancelled';
  // A receiver that is gone, or wants no more of this message, is not asked again.
  if (statusCode === 410 || responseHeaders?.[abortHeader]?.trim().toLowerCase() === abortValue) return 'failed';
  return active ? undefined : 'skipped';
}

type Change = NonNullable<Parameters<Tx['delivery']['updateManyAndReturn']>[0]['data']>;

/** A manual attempt counts apart and changes the state only when it succeeds. */
function settle(tx: Tx, { due, trigger, outcome }: Attempted, change: Change) {
  const counted = trigger === 'manual' ? { manualAttemptCount: { increment: 1 } } : { attemptCount: { increment: 1 } };
  return tx.delivery.updateManyAndReturn({
    where: { id: due.id },
    data: { ...counted, lastStatusCode: outcome.statusCode, lastError: outcome.error, ...change },
  });
}

/** Only of an answer that says "later" is Retry-After meant for the next attempt. */
function askedFor({ statusCode, responseHeaders }: Outcome): Date | undefined {
  return statusCode === 429 || statusCode === 503 ? readRetryAfter(responseHeaders?.['retry-after']) : undefined;
}
