import { hiddenValue } from '@tandem/integrations-contract';
import { type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import type { Outcome } from '../../outgoing/send.ts';
import { headersOf } from '../../outgoing/sign.ts';
import { timeoutsMax } from '../webhooks/health.ts';
import { openHeaders, openSecrets } from '../webhooks/sealed-parts.ts';
import { checkPermission } from './check-permission.ts';
import { type DueDelivery, deliverJob } from './delivery.ts';
import { type AttemptResult, recordAttempt } from './record-attempt.ts';

type Payload = z.output<typeof deliverJob.payload>;
type Context = JobContext<Payload, Tx>;
type Finish = Context['finish'];

// Deliveries wait while identity is unreachable, because the permission may have been revoked.
const permissionRetryMs = 10_000;
const unfinished = ['pending', 'retrying', 'delivering'];

/** Makes one attempt of a delivery if its endpoint has a free slot and may still receive the event. */
export const deliver = (tools: Tools) =>
  job({
    ...deliverJob,
    async run(context: Context) {
      const { payload, tx, outside, finish } = context;
      const due = await readDue(tx, payload.deliveryId);
      if (!due || !isStillDue(due, payload)) return;
      if (!isDeliverable(due)) return endWithoutAttempt(due, payload, finish);
      const isPermitted = await checkPermission(tools, due);
      if (isPermitted === undefined) return postpone(due, payload, finish, new Date(Date.now() + permissionRetryMs));
      if (!isPermitted) return endWithoutAttempt(due, payload, finish, 'not_permitted');
      const target = {
        tenant: String(due.tenantId),
        endpoint: String(due.webhookId),
        isSuspect: due.consecutiveTimeouts >= timeoutsMax,
      };
      const pausedUntil = pauseOf(due);
      if (pausedUntil) return postpone(due, payload, finish, tools.queue.retryAt(target, pausedUntil));
      const postponedTo = await reserveRateLimitSlot(tx, due);
      if (postponedTo) return postpone(due, payload, finish, postponedTo);
      const slot = await outside(() => tools.queue.acquire(target));
      if ('retryAt' in slot) return postpone(due, payload, finish, slot.retryAt);
      try {
        const attempted = await attempt(context, due, tools);
        await finish((transaction) => recordAttempt(transaction, attempted, tools.schedules));
        slot.release(attempted.outcome.durationMs);
      } finally {
        slot.release();
      }
    },
  });

async function readDue(tx: Tx, deliveryId: number): Promise<DueDelivery | undefined> {
  const [due] = await tx.sql<DueDelivery>`
    SELECT d.id, d.round, d.status, d.event, d.tenant_id AS "tenantId", d.environment, d.webhook_id AS "webhookId", d.event_id AS "eventId",
      d.slot_at AS "slotAt", d.created_at AS "createdAt", e.body, w.url, w.active AND w.deleted_at IS NULL AS active, w.deleted_at AS "deletedAt",
      w.rate_limit_per_second AS "rateLimitPerSecond", w.paused_until AS "pausedUntil", w.consecutive_timeouts AS "consecutiveTimeouts",
      w.last_success_at AS "lastSuccessAt", w.failure_since AS "failureSince", w.warned_at AS "warnedAt",
      w.seal_ref AS "sealRef", w.secret, w.previous_secret AS "previousSecret", w.previous_secret_expires_at AS "previousSecretExpiresAt",
      w.custom_headers AS "customHeaders", coalesce(w.authorized_by, w.created_by) AS "authorizedBy",
      w.authorized_permissions AS "authorizedPermissions"
    FROM delivery d JOIN webhook w ON w.id = d.webhook_id LEFT JOIN event e ON e.id = d.event_id WHERE d.id = ${deliveryId}`;
  return due;
}

/** Includes `delivering`: a process crashed during this attempt. */
function isStillDue({ status, round }: DueDelivery, payload: Payload): boolean {
  if (payload.trigger === 'manual') return status !== 'cancelled';
  return round === payload.round && unfinished.includes(status);
}

/** The webhook may be disabled or deleted, and the payload purged, between two attempts. */
function isDeliverable(due: DueDelivery): due is DueDelivery & { body: Buffer } {
  return due.active && due.body !== null;
}

/**
 * Ends a delivery without an attempt. Changes nothing for a manual retry, whose delivery has already ended, or when the
 * delivery ended or was restarted after the job read it.
 */
async function endWithoutAttempt(
  { id, round, deletedAt }: DueDelivery,
  { trigger }: Payload,
  finish: Finish,
  lastError?: 'not_permitted',
): Promise<void> {
  if (trigger === 'manual') return;
  const status = deletedAt ? 'cancelled' : 'skipped';
  const ended = { status, nextAttemptAt: null, completedAt: new Date(), ...(lastError && { lastError }) };
  await finish(async ({ tx }) => {
    await tx.delivery.updateMany({ where: { id, round, status: { in: unfinished } }, data: ended });
  });
}

function pauseOf({ pausedUntil }: DueDelivery): Date | undefined {
  return pausedUntil && pausedUntil > new Date() ? pausedUntil : undefined;
}

/** Reserves this delivery's slot under the webhook's rate limit; returns its time when it is later than now. */
async function reserveRateLimitSlot(
  tx: Tx,
  { id, webhookId, rateLimitPerSecond, slotAt }: DueDelivery,
): Promise<Date | undefined> {
  if (!rateLimitPerSecond || slotAt) return undefined;
  const [slot] = await tx.sql<{ at: Date; isLater: boolean }>`
    UPDATE webhook SET next_slot_at = greatest(now(), next_slot_at) + make_interval(secs => 1.0 / ${rateLimitPerSecond}::int)
    WHERE id = ${webhookId}
    RETURNING next_slot_at - make_interval(secs => 1.0 / ${rateLimitPerSecond}::int) AS at,
      next_slot_at - make_interval(secs => 1.0 / ${rateLimitPerSecond}::int) > now() AS "isLater"`;
  if (!slot?.isLater) return undefined;
  await tx.delivery.updateMany({ where: { id }, data: { slotAt: slot.at } });
  return slot.at;
}

/** Reschedules a delivery. This does not count as an attempt. */
function postpone({ id }: DueDelivery, { trigger }: Payload, finish: Finish, until: Date): Promise<void> {
  return finish(async ({ tx }) => {
    if (trigger === 'scheduled')
      await tx.delivery.updateMany({
        where: { id, status: { in: ['pending', 'retrying'] } },
        data: { nextAttemptAt: until },
      });
    return until;
  });
}

/** Stores the attempt number first, so that it is never reused, then sends outside of a transaction. */
async function attempt(
  { tx, outside, payload: { trigger } }: Context,
  due: DueDelivery & { body: Buffer },
  { ids, seal, sender }: Tools,
): Promise<AttemptResult> {
  const [updated] = await tx.delivery.updateManyAndReturn({
    where: { id: due.id },
    data: {
      lastAttemptNumber: { increment: 1 },
      slotAt: null,
      ...(trigger === 'scheduled' && { status: 'delivering', nextAttemptAt: null }),
    },
    select: { lastAttemptNumber: true },
  });
  const number = (updated as { lastAttemptNumber: number }).lastAttemptNumber;
  const headers = headersOf({
    id: ids.encode('event', due.tenantId, due.eventId),
    event: due.event,
    delivery: ids.encode('delivery', due.tenantId, due.id),
    attempt: number,
    environment: due.environment,
    body: due.body,
    timestamp: Math.floor(Date.now() / 1_000),
    secrets: openSecrets(seal, due),
  });
  const custom = openHeaders(seal, due);
  const { url, environment, body } = due;
  const send = () => sender.send({ url, environment, headers: [...headers, ...custom], body });
  const outcome: Outcome = await outside(send);
  const redacted = [...headers, ...custom.map(([name]): [string, string] => [name, hiddenValue])];
  return { due, number, trigger, outcome, requestHeaders: Object.fromEntries(redacted) };
}
