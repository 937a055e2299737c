import { id, timestamp } from '@tandem/contract';
import { notificationDelivered } from '@tandem/identity-contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { deliverScheduled } from './deliver.ts';

/** Job that delivers a scheduled batch when it is due. */
export const deliverNotificationsJob = {
  name: 'deliver-notifications',
  payload: z.object({ batchId: id('notification_batch') }),
};

/** Job that delivers a snoozed notification again. */
export const wakeNotificationJob = {
  name: 'wake-notification',
  payload: z.object({ batchId: id('notification_batch'), id: id('notification'), until: timestamp() }),
};

/** Delivers the scheduled notifications of a batch; a second run finds none. */
export const deliverNotifications = job({
  ...deliverNotificationsJob,
  async run({ payload, finish }: JobContext<z.output<typeof deliverNotificationsJob.payload>, Tx>) {
    await finish(async ({ tx, emit }) => {
      const { batchId } = payload;
      const rows = await deliverScheduled(tx, { batchId, isNew: true });
      if (!rows.length) return;
      const userIds = rows.map(({ userId }) => userId);
      emit(notificationDelivered, { data: { batchId, userIds }, record: { id: batchId } });
    });
  },
});

/** Delivers a snoozed notification, unless it was moved or snoozed until another time meanwhile. */
export const wakeNotification = job({
  ...wakeNotificationJob,
  async run({ payload, finish }: JobContext<z.output<typeof wakeNotificationJob.payload>, Tx>) {
    await finish(async ({ tx, emit }) => {
      const { batchId, id, until } = payload;
      const row = await tx.notification.findFirst({ where: { id, batchId, status: 'scheduled', scheduledFor: until } });
      const rows = row ? await deliverScheduled(tx, { batchId, id, isNew: false }) : [];
      if (!rows.length) return;
      const userIds = rows.map(({ userId }) => userId);
      emit(notificationDelivered, { data: { batchId, userIds }, record: { id: batchId } });
    });
  },
});
