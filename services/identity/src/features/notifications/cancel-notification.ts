import { notificationCancelled, type notifications } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { lockFeeds } from './feed.ts';
import { asNotification, checkMove, isExpired, recipientOf, writeNotification } from './notification.ts';

export const cancelNotification =
  ({ feeds }: Pick<Tools, 'feeds'>): Handler<typeof notifications.cancelNotification> =>
  async ({ afterCommit, params: { id }, caller, tx, emit, ifMatch }) => {
    const userId = recipientOf(caller);
    const where = { id, OR: [{ userId }, { batch: { createdBy: userId } }] };
    const found = await tx.notification.findFirst({ where, select: { userId: true } });
    if (!found) throw fail('not_found');
    await lockFeeds(tx, [found.userId]);
    const row = await tx.notification.lockFirst({ where: { id } });
    if (!row || isExpired(row)) throw fail('not_found');
    if (row.userId !== userId && row.deliveredAt) throw alreadyDelivered();
    ifMatch(row);
    if (row.status === 'cancelled') return asNotification(row);
    checkMove(row, 'cancelled');
    const cancelled = await writeNotification(tx, row, { status: 'cancelled' });
    afterCommit(() => feeds.changed(row.tenantId, [row.userId]));
    emit(notificationCancelled, {
      data: { notificationId: id, batchId: row.batchId, userId: row.userId },
      record: { id },
    });
    return asNotification(cancelled);
  };

/** Delivered notifications belong to their recipient: their sender learns no more about them, such as whether they were read. */
function alreadyDelivered() {
  return fail('transition_refused', [{ field: 'status', message: 'Was delivered; only its recipient can cancel it' }]);
}
