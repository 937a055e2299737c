import { actingUserId } from '@tandem/caller';
import type { notifications } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asNotification } from './notification.ts';

export const listNotifications: Handler<typeof notifications.listNotifications> = async ({
  query,
  caller,
  tx,
  list,
}) => {
  const userId = actingUserId(caller);
  if (userId === undefined) throw fail('forbidden');
  const { status, category } = query;
  const page = await list({
    model: tx.notification,
    where: { userId, status: status ?? { not: 'scheduled' }, ...(category && { category }) },
    and: [{ OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] }],
  });
  return { ...page, items: page.items.map(asNotification) };
};
