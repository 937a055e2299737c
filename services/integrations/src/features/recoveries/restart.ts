import type { JobContext } from '@tandem/jobs';
import type { Tx } from '../../handler.ts';
import { deliverJob } from '../deliveries/delivery.ts';

type Finishing = Parameters<Parameters<JobContext<unknown, Tx>['finish']>[0]>[0];

/** Restarts the schedules of ended deliveries that match, in a new round. @returns how many were restarted */
export async function restartDeliveries(
  { tx, schedule }: Pick<Finishing, 'tx' | 'schedule'>,
  where: NonNullable<Parameters<Tx['delivery']['updateManyAndReturn']>[0]['where']>,
): Promise<number> {
  const restarted = await tx.delivery.updateManyAndReturn({
    where,
    data: { status: 'pending', attemptCount: 0, round: { increment: 1 }, nextAttemptAt: new Date(), completedAt: null },
    select: { id: true, round: true },
  });
  if (!restarted.length) return 0;
  await schedule(
    deliverJob,
    restarted.map(({ id: deliveryId, round }) => ({ deliveryId, round, trigger: 'scheduled' as const })),
  );
  return restarted.length;
}
