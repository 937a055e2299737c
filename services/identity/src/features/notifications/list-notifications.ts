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
  // In whole seconds, so that concurrent requests share the count of the list.
  const now = new Date(Math.floor(Date.now() / 1_000) * 1_000);
  const page = await list({
    model: tx.notification,
    where: { userId, status: status ?? { not: 'scheduled' }, ...(category && { category }) },
    and: [{ OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] }],
  });
  return { ...page, items: page.items.map(asNotification) };
};
