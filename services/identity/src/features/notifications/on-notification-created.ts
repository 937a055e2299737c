import { type ConsumerContext, consumer } from '@tandem/events';
import { notificationCreated, notificationDelivered } from '@tandem/identity-contract';
import type { Tools, Tx } from '../../handler.ts';
import { mailNotificationJob, mailRefOf } from './mail-notification.job.ts';

/** Wakes the streams of users who have new notifications, and schedules their e-mails. */
export const sendNotifications = ({ feeds }: Pick<Tools, 'feeds'>) =>
  consumer({
    name: 'send-notifications',
    on: [notificationCreated, notificationDelivered],
    async handle(events, { tx, schedule, afterCommit }: ConsumerContext<Tx>) {
      const delivered = new Map<number, Set<number>>();
      for (const { data } of events)
        delivered.set(data.batchId, (delivered.get(data.batchId) ?? new Set()).union(new Set(data.userIds)));
      const pending = await tx.notification.findMany({
        where: { batchId: { in: [...delivered.keys()] }, emailStatus: 'pending' },
        select: { id: true, tenantId: true, batchId: true, userId: true, mailAt: true },
      });
      // A snoozed notification that wakes is delivered to one user; the others of its batch have their jobs.
      const rows = pending.filter(({ batchId, userId }) => delivered.get(batchId)?.has(userId));
      for (const [time, due] of Map.groupBy(rows, ({ mailAt }) => mailAt?.getTime() ?? 0))
        await schedule(
          mailNotificationJob,
          due.map((row) => ({ id: row.id, ref: mailRefOf(row) })),
          new Date(time),
        );
      afterCommit(() => {
        for (const { tenantId, data } of events) feeds.changed(tenantId, data.userIds);
      });
    },
  });
