import { id } from '@tandem/contract';
import { payloadDays } from '@tandem/integrations-contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Recovery } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { restartDeliveries } from './restart.ts';

/** Job that sends missed deliveries again. */
export const recoverJob = { name: 'recover', payload: z.object({ recoveryId: id('job') }) };

// Limits each step, so that a long outage does not queue all its deliveries ahead of other tenants.
export const stepMax = 500;

const payloadKeptMs = payloadDays * 24 * 3_600_000;

/** The beginning of the period of a recovery whose payloads still exist. */
export function keptSince({ since, createdAt }: Pick<Recovery, 'since' | 'createdAt'>): Date {
  return new Date(Math.max(since.getTime(), createdAt.getTime() - payloadKeptMs));
}

/**
 * Filter for deliveries of a recovery: those that ended before it, so that none is restarted twice, and whose payload
 * still exists.
 */
export function missedDeliveries(recovery: Pick<Recovery, 'webhookId' | 'since' | 'until' | 'createdAt'>) {
  return {
    webhookId: recovery.webhookId,
    status: { in: ['failed', 'skipped'] },
    createdAt: { gte: keptSince(recovery), lte: recovery.until },
    completedAt: { lte: recovery.createdAt },
  };
}

/** Whether the webhook of a recovery still takes deliveries. */
export async function isActive(tx: Tx, { webhookId }: Pick<Recovery, 'webhookId'>): Promise<boolean> {
  return (await tx.webhook.count({ where: { id: webhookId, active: true, deletedAt: null } })) > 0;
}

/** Restarts the schedule of missed deliveries in batches. */
export const recover = job({
  ...recoverJob,
  async run({ payload, tx: reader, finish }: JobContext<z.output<typeof recoverJob.payload>, Tx>) {
    const recovery = await reader.recovery.findFirst({ where: { id: payload.recoveryId, completedAt: null } });
    if (!recovery) return;
    await finish(async ({ tx, schedule }) => {
      const now = new Date();
      const missed = (await isActive(tx, recovery))
        ? await tx.delivery.findMany({
            where: missedDeliveries(recovery),
            orderBy: { createdAt: 'asc' },
            take: stepMax,
            select: { id: true },
          })
        : [];
      const ids = missed.map((delivery) => delivery.id);
      const where = { ...missedDeliveries(recovery), id: { in: ids } };
      const requeued = ids.length ? await restartDeliveries({ tx, schedule }, where) : 0;
      const isDone = missed.length < stepMax;
      await tx.recovery.updateMany({
        where: { id: recovery.id },
        data: { requeued: { increment: requeued }, ...(isDone && { completedAt: now }) },
      });
      return isDone ? undefined : now;
    });
  },
});
