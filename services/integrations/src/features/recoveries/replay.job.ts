import { id } from '@tandem/contract';
import { type JobContext, job } from '@tandem/jobs';
import { fragment } from '@tandem/tenant-db';
import { z } from 'zod';
import type { Recovery } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { deliverJob } from '../deliveries/delivery.ts';
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
    SELECT event.id, event.environment, event.type, event.created_at AS "createdAt", delivery.id AS "deliveryId"
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
        const created = await createDeliveries(tx, { unsent, webhookId: found.webhookId }, tools);
        if (created.length) {
          await schedule(
            deliverJob,
            created.map(({ id: deliveryId }) => ({ deliveryId, round: 0, trigger: 'scheduled' as const })),
          );
        }
        const skipped = unsent.flatMap(({ deliveryId }) => deliveryId ?? []);
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

/** Creates the deliveries of events that have none, unless another replay has created them meanwhile. */
async function createDeliveries(
  tx: Tx,
  { unsent, webhookId }: { unsent: readonly Unsent[]; webhookId: number },
  { schedules }: Tools,
): Promise<{ id: number }[]> {
  const data = unsent
    .filter(({ deliveryId }) => deliveryId === null)
    .map(({ id: eventId, environment, type: event }) => ({
      ...{ webhookId, eventId, event, maxAttempts: schedules.attempts(environment), nextAttemptAt: new Date() },
    }));
  if (!data.length) return [];
  return tx.delivery.createManyAndReturn({ data, skipDuplicates: true, select: { id: true } });
}
