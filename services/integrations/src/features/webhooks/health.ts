import type { Emit } from '@tandem/events';
import { webhookDisabled, webhookFailing, webhookRecovered } from '@tandem/integrations-contract';
import type { Webhook as WebhookRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { Outcome } from '../../outgoing/send.ts';
import { endPendingDeliveries } from '../deliveries/delivery.ts';
import { asWebhook } from './webhook.ts';

/** State of a webhook after a failed attempt. */
export type Health = Pick<WebhookRow, 'active' | 'deletedAt'>;

/** When a failing webhook triggers a warning, and when it is disabled. */
const failurePolicy = {
  warnAfterMs: 24 * 3_600_000,
  disableAfterMs: 5 * 24 * 3_600_000,
  disableAfterAttempts: 10,
  /** Minimum time between first and last failure: one bad hour after a quiet week must not disable a webhook. */
  disableSpanMs: 12 * 3_600_000,
};

// Limits updates of a healthy webhook, to avoid lock contention on its row.
const successIntervalMs = 60_000;
/** After this many consecutive timeouts, a webhook is paused after each one and gets one send at a time. */
export const timeoutsMax = 5;
const pauseSeconds = 60;

/**
 * Resets the failure state of a webhook after a success.
 * @param before state of the webhook before the attempt
 */
export async function recordSuccess(
  tx: Tx,
  emit: Emit,
  webhookId: number,
  before: Pick<WebhookRow, 'lastSuccessAt' | 'failureSince' | 'warnedAt'>,
): Promise<void> {
  const now = new Date();
  const isRecentlyRecorded =
    before.lastSuccessAt !== null && now.getTime() - before.lastSuccessAt.getTime() < successIntervalMs;
  if (isRecentlyRecorded && !before.failureSince) return;
  const [row] = await tx.webhook.updateManyAndReturn({
    where: { id: webhookId },
    data: { lastSuccessAt: now, ...healthyState },
  });
  if (row && before.warnedAt) emit(webhookRecovered, { data: { webhookId }, record: asWebhook(row) });
}

/** Column values of a webhook without failures. */
export const healthyState = {
  failureSince: null,
  failedAttempts: 0,
  warnedAt: null,
  consecutiveTimeouts: 0,
  pausedUntil: null,
};

/** Updates failure state and circuit breaker after a failure; warns or disables when the webhook fails for too long. */
export async function recordFailure(
  tx: Tx,
  emit: Emit,
  webhookId: number,
  { error, statusCode }: Outcome,
): Promise<Health> {
  const isTimeout = error === 'timeout';
  await tx.sql`UPDATE webhook SET failure_since = coalesce(failure_since, now()), failed_attempts = failed_attempts + 1,
      consecutive_timeouts = CASE WHEN ${isTimeout}::boolean THEN consecutive_timeouts + 1 ELSE 0 END,
      paused_until = CASE WHEN ${isTimeout}::boolean AND consecutive_timeouts + 1 >= ${timeoutsMax}::int
        THEN now() + make_interval(secs => ${pauseSeconds}::int) ELSE paused_until END
    WHERE id = ${webhookId}`;
  const row = (await tx.webhook.findFirst({ where: { id: webhookId } })) as WebhookRow;
  if (!row.active || row.deletedAt) return row;
  if (statusCode === 410) return disable(tx, emit, webhookId, 'gone');
  if (mustDisable(row, new Date())) return disable(tx, emit, webhookId, 'failing');
  await warn(tx, emit, row);
  return row;
}

/** No success for 5 days, at least 10 failures, and 12 hours between the first and the last of them. */
function mustDisable({ lastSuccessAt, enabledAt, failureSince, failedAttempts }: WebhookRow, now: Date): boolean {
  const workedAt = Math.max(lastSuccessAt?.getTime() ?? 0, enabledAt.getTime());
  const firstFailureAt = failureSince?.getTime() ?? now.getTime();
  return (
    now.getTime() - workedAt >= failurePolicy.disableAfterMs &&
    failedAttempts >= failurePolicy.disableAfterAttempts &&
    now.getTime() - firstFailureAt >= failurePolicy.disableSpanMs
  );
}

async function disable(tx: Tx, emit: Emit, webhookId: number, reason: 'gone' | 'failing'): Promise<Health> {
  const now = new Date();
  const [row] = await tx.webhook.updateManyAndReturn({
    where: { id: webhookId },
    data: { active: false, disabledReason: reason, disabledAt: now, updatedAt: now, version: { increment: 1 } },
  });
  await endPendingDeliveries(tx, webhookId, 'skipped');
  emit(webhookDisabled, { data: { webhookId, reason }, record: asWebhook(row as WebhookRow) });
  return row as WebhookRow;
}

/** Warns once per failure period. */
async function warn(tx: Tx, emit: Emit, { id, failureSince, warnedAt }: WebhookRow): Promise<void> {
  if (warnedAt || !failureSince || Date.now() - failureSince.getTime() < failurePolicy.warnAfterMs) return;
  const [row] = await tx.webhook.updateManyAndReturn({ where: { id }, data: { warnedAt: new Date() } });
  emit(webhookFailing, { data: { webhookId: id, failureSince }, record: asWebhook(row as WebhookRow) });
}
