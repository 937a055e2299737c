import { hiddenValue } from '@tandem/integrations-contract';
import { type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import type { Outcome } from '../../outgoing/send.ts';
import { headersOf } from '../../outgoing/sign.ts';
import { timeoutsMax } from '../webhooks/health.ts';
import { openHeaders, openSecrets } from '../webhooks/sealed-parts.ts';
import { type Due, deliverJob } from './delivery.ts';
import { type Attempted, recordAttempt } from './record-attempt.ts';

type Payload = z.output<typeof deliverJob.payload>;
type Context = JobContext<Payload, Tx>;
type Finish = Context['finish'];

// One send, and time to write down what happened.
const leaseSeconds = 120;

/** Makes one attempt of a delivery: when it is its turn, and while it still has somewhere to go. */
export const deliver = (tools: Tools) =>
  job({
    ...deliverJob,
    leaseSeconds,
    async run({ payload, tx, finish }: Context) {
      const due = await readDue(tx, payload.deliveryId);
      if (!due || !isToBeMade(due, payload)) return;
      if (!isPossible(due)) return payload.trigger === 'manual' ? undefined : giveUp(due, finish);
      const postponedTo = pausedUntil(due) ?? (await paced(tx, due));
      if (postponedTo) return postpone(due, payload, finish, postponedTo);
      const turn = await tools.turns.take({
        tenant: String(due.tenantId),
        webhook: String(due.webhookId),
        alone: due.consecutiveTimeouts >= timeoutsMax,
      });
      if ('askAt' in turn) return postpone(due, payload, finish, turn.askAt);
      try {
        const attempted = await attempt(tx, due, payload, tools);
        await finish((inside) => recordAttempt(inside, attempted, tools.schedules));
      } finally {
        turn.end();
      }
    },
  });

async function readDue(tx: Tx, deliveryId: number): Promise<Due | undefined> {
  const [due] = await tx.sql<Due>`
    SELECT d.id, d.round, d.status, d.event, d.tenant_id AS "tenantId", d.environment, d.webhook_id AS "webhookId", d.event_id AS "eventId",
      d.slot_at AS "slotAt", e.body, w.url, w.active AND w.deleted_at IS NULL AS active, w.deleted_at AS "deletedAt",
      w.rate_limit_per_second AS "rateLimitPerSecond", w.paused_until AS "pausedUntil", w.consecutive_timeouts AS "consecutiveTimeouts",
      w.last_success_at AS "lastSuccessAt", w.failure_since AS "failureSince", w.warned_at AS "warnedAt",
      w.seal_ref AS "sealRef", w.secret, w.previous_secret AS "previousSecret", w.previous_secret_expires_at AS "previousSecretExpiresAt",
      w.custom_headers AS "customHeaders"
    FROM delivery d JOIN webhook w ON w.id = d.webhook_id LEFT JOIN event e ON e.id = d.event_id WHERE d.id = ${deliveryId}`;
  return due;
}

/** `delivering` is the mark of a process that died in the middle of this attempt. */
function isToBeMade({ status, round }: Due, payload: Payload): boolean {
  if (payload.trigger === 'manual') return status !== 'cancelled';
  return round === payload.round && ['pending', 'retrying', 'delivering'].includes(status);
}

/** The webhook may have been switched off or removed between two attempts, and the payload may have gone. */
function isPossible(due: Due): due is Due & { body: Buffer } {
  return due.active && due.body !== null;
}

function giveUp({ id, deletedAt }: Due, finish: Finish): Promise<void> {
  const status = deletedAt ? 'cancelled' : 'skipped';
  return finish(async ({ tx }) => {
    await tx.delivery.updateMany({ where: { id }, data: { status, nextAttemptAt: null, completedAt: new Date() } });
  });
}

function pausedUntil({ pausedUntil }: Due): Date | undefined {
  return pausedUntil && pausedUntil > new Date() ? pausedUntil : undefined;
}

/** The moment that the webhook's rate limit gives to this delivery, when that is not now. A moment is given once. */
async function paced(tx: Tx, { id, webhookId, rateLimitPerSecond, slotAt }: Due): Promise<Date | undefined> {
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

/** Waiting for a turn is no attempt. */
function postpone({ id }: Due, { trigger }: Payload, finish: Finish, until: Date): Promise<void> {
  return finish(async ({ tx }) => {
    if (trigger === 'scheduled')
      await tx.delivery.updateMany({
        where: { id, status: { in: ['pending', 'retrying'] } },
        data: { nextAttemptAt: until },
      });
    return until;
  });
}

/** Takes the number of the attempt, so that it is never given twice, then sends. No transaction is open meanwhile. */
async function attempt(
  tx: Tx,
  due: Due & { body: Buffer },
  { trigger }: Payload,
  { ids, seal, sender }: Tools,
): Promise<Attempted> {
  const [claimed] = await tx.delivery.updateManyAndReturn({
    where: { id: due.id },
    data: {
      lastAttemptNumber: { increment: 1 },
      slotAt: null,
      ...(trigger === 'scheduled' && { status: 'delivering', nextAttemptAt: null }),
    },
    select: { lastAttemptNumber: true },
  });
  const number = (claimed as { lastAttemptNumber: number }).lastAttemptNumber;
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
  const outcome: Outcome = await sender.send({
    url: due.url,
    environment: due.environment,
    headers: [...headers, ...custom],
    body: due.body,
  });
  const shown = [...headers, ...custom.map(([name]): [string, string] => [name, hiddenValue])];
  return { due, number, trigger, outcome, requestHeaders: Object.fromEntries(shown) };
}
