import type { Emit } from '@tandem/events';
import { webhookDisabled, webhookFailing, webhookRecovered } from '@tandem/integrations-contract';
import type { Webhook as WebhookRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { Outcome } from '../../outgoing/send.ts';
import { endWaiting } from '../deliveries/delivery.ts';
import { asWebhook } from './webhook.ts';

/** What is left of a webhook after a failed attempt. */
export type Health = Pick<WebhookRow, 'active' | 'deletedAt'>;

/** The clock of a webhook that fails: when its owner is warned, and when it is disabled. */
const clock = {
  warnAfterMs: 24 * 3_600_000,
  disableAfterMs: 5 * 24 * 3_600_000,
  disableAfterAttempts: 10,
  /** Between the first and the last failure: a single bad hour after a quiet week is no reason. */
  disableSpanMs: 12 * 3_600_000,
};

// A success is noted at most this often while nothing is wrong: busy webhooks must not fight for one row.
const successNotedEveryMs = 60_000;
/** From so many timeouts in a row on, a webhook is paused after each, and tried by one send at a time. */
export const timeoutsMax = 5;
const pauseSeconds = 60;

/**
 * Resets the failure clock of a webhook that works.
 * @param seen the webhook as it was before the attempt
 */
export async function noteSuccess(
  tx: Tx,
  emit: Emit,
  webhookId: number,
  seen: Pick<WebhookRow, 'lastSuccessAt' | 'failureSince' | 'warnedAt'>,
): Promise<void> {
  const now = new Date();
  const isNoted = seen.lastSuccessAt !== null && now.getTime() - seen.lastSuccessAt.getTime() < successNotedEveryMs;
  if (isNoted && !seen.failureSince) return;
  const [row] = await tx.webhook.updateManyAndReturn({
    where: { id: webhookId },
    data: { lastSuccessAt: now, ...freshClock },
  });
  if (row && seen.warnedAt) emit(webhookRecovered, { data: { webhookId }, record: asWebhook(row) });
}

/** The columns of a failure clock and circuit breaker that have nothing to report. */
export const freshClock = {
  failureSince: null,
  failedAttempts: 0,
  warnedAt: null,
  consecutiveTimeouts: 0,
  pausedUntil: null,
};

/** Moves the clock and the circuit breaker on after a failure; disables the webhook when its time is over. */
export async function noteFailure(
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
  if (isBeyondHope(row, new Date())) return disable(tx, emit, webhookId, 'failing');
  await warn(tx, emit, row);
  return row;
}

/** No success for 5 days, at least 10 failures, and 12 hours between the first and the last of them. */
function isBeyondHope({ lastSuccessAt, enabledAt, failureSince, failedAttempts }: WebhookRow, now: Date): boolean {
  const worked = Math.max(lastSuccessAt?.getTime() ?? 0, enabledAt.getTime());
  const first = failureSince?.getTime() ?? now.getTime();
  return (
    now.getTime() - worked >= clock.disableAfterMs &&
    failedAttempts >= clock.disableAfterAttempts &&
    now.getTime() - first >= clock.disableSpanMs
  );
}

async function disable(tx: Tx, emit: Emit, webhookId: number, reason: 'gone' | 'failing'): Promise<Health> {
  const now = new Date();
  const [row] = await tx.webhook.updateManyAndReturn({
    where: { id: webhookId },
    data: { active: false, disabledReason: reason, disabledAt: now, updatedAt: now, version: { increment: 1 } },
  });
  await endWaiting(tx, webhookId, 'skipped');
  emit(webhookDisabled, { data: { webhookId, reason }, record: asWebhook(row as WebhookRow) });
  return row as WebhookRow;
}

/** Once per period of failure. */
async function warn(tx: Tx, emit: Emit, { id, failureSince, warnedAt }: WebhookRow): Promise<void> {
  if (warnedAt || !failureSince || Date.now() - failureSince.getTime() < clock.warnAfterMs) return;
  const [row] = await tx.webhook.updateManyAndReturn({ where: { id }, data: { warnedAt: new Date() } });
  emit(webhookFailing, { data: { webhookId: id, failureSince }, record: asWebhook(row as WebhookRow) });
}
