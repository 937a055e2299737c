import { id } from '@tandem/contract';
import { payloadDays } from '@tandem/integrations-contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Recovery } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { deliverJob } from '../deliveries/delivery.ts';

/** Job that sends missed deliveries again. */
export const recoverJob = { name: 'recover', payload: z.object({ recoveryId: id('job') }) };

// Limits each step, so that a long outage does not queue all its deliveries ahead of other tenants.
const stepMax = 500;

const payloadKeptMs = payloadDays * 24 * 3_600_000;

/**
 * Filter for deliveries of a recovery: those that ended before it, so that none is restarted twice, and whose payload
 * still exists.
 */
export function missedDeliveries({
  webhookId,
  since,
  until,
  createdAt,
}: Pick<Recovery, 'webhookId' | 'since' | 'until' | 'createdAt'>) {
  return {
    webhookId,
    status: { in: ['failed', 'skipped'] },
    createdAt: { gte: new Date(Math.max(since.getTime(), createdAt.getTime() - payloadKeptMs)), lte: until },
    completedAt: { lte: createdAt },
  };
}

/** Restarts the schedule of missed deliveries in batches. */
export const recover = job({
  ...recoverJob,
  async run({ payload, tx: reader, finish }: JobContext<z.output<typeof recoverJob.payload>, Tx>) {
    const recovery = await reader.recovery.findFirst({ where: { id: payload.recoveryId, completedAt: null } });
    if (!recovery) return;
    await finish(async ({ tx, schedule }) => {
      const now = new Date();
      const isActive =
        (await tx.webhook.count({ where: { id: recovery.webhookId, active: true, deletedAt: null } })) > 0;
      const missed = isActive
        ? await tx.delivery.findMany({
            where: missedDeliveries(recovery),
            orderBy: { createdAt: 'asc' },
            take: stepMax,
            select: { id: true },
          })
        : [];
      const ids = missed.map((delivery) => delivery.id);
      const restarted = ids.length
        ? await tx.delivery.updateManyAndReturn({
            where: { ...missedDeliveries(recovery), id: { in: ids } },
            data: {
              status: 'pending',
              attemptCount: 0,
              round: { increment: 1 },
              nextAttemptAt: now,
              completedAt: null,
            },
            select: { id: true, round: true },
          })
        : [];
      if (restarted.length) {
        await schedule(
          deliverJob,
          restarted.map(({ id: deliveryId, round }) => ({ deliveryId, round, trigger: 'scheduled' as const })),
        );
      }
      const isDone = missed.length < stepMax;
      await tx.recovery.updateMany({
        where: { id: recovery.id },
        data: { requeued: { increment: restarted.length }, ...(isDone && { completedAt: now }) },
      });
      return isDone ? undefined : now;
    });
  },
});
