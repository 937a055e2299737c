import type { notifications } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asNotification, checkMove, lockOwn, writeNotification } from './notification.ts';

export const unreadNotification =
  ({ feeds }: Pick<Tools, 'feeds'>): Handler<typeof notifications.unreadNotification> =>
  async ({ afterCommit, params, caller, tx, ifMatch }) => {
    const row = await lockOwn(tx, caller, params.id);
    ifMatch(row);
    if (row.status === 'delivered') return asNotification(row);
    checkMove(row, 'delivered');
    afterCommit(() => feeds.changed(row.tenantId, [row.userId]));
    return asNotification(await writeNotification(tx, row, { status: 'delivered', readAt: null }));
  };
