import type { notifications } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asNotification, checkMove, lockOwn, writeNotification } from './notification.ts';

export const readNotification =
  ({ feeds }: Pick<Tools, 'feeds'>): Handler<typeof notifications.readNotification> =>
  async ({ afterCommit, params, caller, tx, ifMatch }) => {
    const row = await lockOwn(tx, caller, params.id);
    ifMatch(row);
    if (row.status === 'read') return asNotification(row);
    checkMove(row, 'read');
    afterCommit(() => feeds.changed(row.tenantId, [row.userId]));
    return asNotification(await writeNotification(tx, row, { status: 'read', readAt: new Date() }));
  };
