import type { notifications } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { asNotification, recipientOf } from './notification.ts';

export const listNotifications: Handler<typeof notifications.listNotifications> = async ({
  query,
  caller,
  list,
  tx,
}) => {
  const { status, category } = query;
  const page = await list({
    model: tx.notification,
    where: {
      userId: recipientOf(caller),
      status: status ?? { in: ['delivered', 'read'] },
      ...(category && { category }),
    },
    and: [{ OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] }],
  });
  return { ...page, items: page.items.map(asNotification) };
};
