import type { notifications } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asNotification, checkMove, lockOwn, writeNotification } from './notification.ts';

export const archiveNotification =
  ({ feeds }: Pick<Tools, 'feeds'>): Handler<typeof notifications.archiveNotification> =>
  async ({ afterCommit, params, caller, tx, ifMatch }) => {
    const row = await lockOwn(tx, caller, params.id);
    ifMatch(row);
    if (row.status === 'archived') return asNotification(row);
    checkMove(row, 'archived');
    afterCommit(() => feeds.changed(row.tenantId, [row.userId]));
    return asNotification(await writeNotification(tx, row, { status: 'archived' }));
  };
