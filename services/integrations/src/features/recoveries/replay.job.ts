import { id } from '@tandem/contract';
import { type JobContext, job } from '@tandem/jobs';
import { fragment } from '@tandem/tenant-db';
import { z } from 'zod';
import type { Recovery } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { deliverJob } from '../deliveries/delivery.ts';
import { applyFilter, type FilterResult } from '../webhooks/filter.ts';
import { isActive, keptSince, stepMax } from './recover.job.ts';
import { restartDeliveries } from './restart.ts';

/** Job that sends events which a webhook has never received. */
export const replayJob = { name: 'replay', payload: z.object({ recoveryId: id('job') }) };

type Replay = Pick<Recovery, 'webhookId' | 'since' | 'until' | 'events' | 'createdAt'>;

interface Unsent {
  id: number;
  environment: string;
  type: string;
  createdAt: Date;
  body: Uint8Array;
  /** null if the webhook has no delivery of the event. */
  deliveryId: number | null;
}

// Events without a delivery for the webhook, and those whose delivery was skipped before its first attempt.
const neverAttempted = fragment`(delivery.id IS NULL OR delivery.status = 'skipped' AND delivery.last_attempt_number = 0)`;

/** How many events a replay will send. */
export async function countUnsent(tx: Tx, replay: Replay): Promise<number> {
  const [found] = await tx.adHocSql<{ count: number }>`
    SELECT count(*) AS count FROM event LEFT JOIN delivery ON delivery.event_id = event.id AND delivery.webhook_id = ${replay.webhookId}
    WHERE event.type = ANY(${replay.events}::text[]) AND event.created_at >= ${keptSince(replay)}::timestamptz
      AND event.created_at <= ${replay.until}::timestamptz AND ${neverAttempted}`;
  return found?.count ?? 0;
}

/** The next events of a replay in their order, after those that it has reached. */
function readUnsent(tx: Tx, replay: Replay & Pick<Recovery, 'reachedAt' | 'reachedId'>): Promise<Unsent[]> {
  const from = replay.reachedAt ?? keptSince(replay);
  return tx.adHocSql<Unsent>`
    SELECT event.id, event.environment, event.type, event.created_at AS "createdAt", event.body, delivery.id AS "deliveryId"
    FROM event LEFT JOIN delivery ON delivery.event_id = event.id AND delivery.webhook_id = ${replay.webhookId}
    WHERE event.type = ANY(${replay.events}::text[]) AND event.created_at >= ${from}::timestamptz
      AND event.created_at <= ${replay.until}::timestamptz
      AND (event.created_at, event.id) > (${from}::timestamptz, ${replay.reachedId ?? 0}::bigint) AND ${neverAttempted}
    ORDER BY event.created_at, event.id LIMIT ${stepMax}::int`;
}

/** Creates the deliveries of a replay in batches. */
export const replay = (tools: Tools) =>
  job({
    ...replayJob,
    async run({ payload, tx: reader, finish }: JobContext<z.output<typeof replayJob.payload>, Tx>) {
      const found = await reader.recovery.findFirst({ where: { id: payload.recoveryId, completedAt: null } });
      if (!found) return;
      await finish(async ({ tx, schedule }) => {
        const now = new Date();
        const unsent = (await isActive(tx, found)) ? await readUnsent(tx, found) : [];
        const filtered = await applyFilterOf(tx, found.webhookId, unsent);
        const created = await createDeliveries(tx, { filtered, webhookId: found.webhookId }, tools);
        if (created.length) {
          await schedule(
            deliverJob,
            created.map(({ id: deliveryId }) => ({ deliveryId, round: 0, trigger: 'scheduled' as const })),
          );
        }
        const skipped = filtered.flatMap(({ deliveryId, result }) => (result === 'match' && deliveryId) || []);
        const where = { id: { in: skipped }, status: 'skipped', lastAttemptNumber: 0 };
        const restarted = skipped.length ? await restartDeliveries({ tx, schedule }, where) : 0;
        const last = unsent.at(-1);
        const isDone = unsent.length < stepMax;
        await tx.recovery.updateMany({
          where: { id: found.id },
          data: {
            requeued: { increment: created.length + restarted },
            ...(last && { reachedAt: last.createdAt, reachedId: last.id }),
            ...(isDone && { completedAt: now }),
          },
        });
        return isDone ? undefined : now;
      });
    },
  });

type Filtered = Unsent & { result: Exclude<FilterResult, 'no_match'> };

/** The events that the filter of the webhook does not exclude, as it is now. */
async function applyFilterOf(tx: Tx, webhookId: number, unsent: readonly Unsent[]): Promise<Filtered[]> {
  const webhook = await tx.webhook.findFirst({ where: { id: webhookId }, select: { filter: true } });
  return unsent.flatMap((event) => {
    const filter = webhook?.filter ?? null;
    const result = filter === null ? 'match' : applyFilter(filter, JSON.parse(Buffer.from(event.body).toString()));
    return result === 'no_match' ? [] : [{ ...event, result }];
  });
}

/**
 * Creates the deliveries of events that have none, unless another replay has created them meanwhile.
 * @returns those that are due
 */
async function createDeliveries(
  tx: Tx,
  { filtered, webhookId }: { filtered: readonly Filtered[]; webhookId: number },
  { schedules }: Tools,
): Promise<{ id: number }[]> {
  const now = new Date();
  const data = filtered
    .filter(({ deliveryId }) => deliveryId === null)
    .map(({ id: eventId, environment, type: event, result }) => ({
      webhookId,
      eventId,
      event,
      maxAttempts: schedules.attempts(environment),
      ...(result === 'match'
        ? { nextAttemptAt: now }
        : { status: 'skipped', lastError: 'filter_error', completedAt: now }),
    }));
  if (!data.length) return [];
  const created = await tx.delivery.createManyAndReturn({
    data,
    skipDuplicates: true,
    select: { id: true, status: true },
  });
  return created.filter(({ status }) => status !== 'skipped');
}
