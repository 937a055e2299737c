import { id } from '@tandem/contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';

/** Job that delivers a scheduled batch when it is due. */
export const deliverNotificationsJob = {
  name: 'deliver-notifications',
  payload: z.object({ batchId: id('notification_batch') }),
};

/** Delivers the scheduled notifications of a batch; a second run finds none. */
export const deliverNotifications = job({
  ...deliverNotificationsJob,
  async run({ payload, finish }: JobContext<z.output<typeof deliverNotificationsJob.payload>, Tx>) {
    await finish(async ({ tx }) => {
      await tx.notification.updateMany({
        where: { batchId: payload.batchId, status: 'scheduled' },
        data: { status: 'delivered', deliveredAt: new Date() },
      });
    });
  },
});
