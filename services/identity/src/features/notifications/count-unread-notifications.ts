import type { notifications } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { recipientOf, unreadOf } from './notification.ts';

export const countUnreadNotifications: Handler<typeof notifications.countUnreadNotifications> = async ({
  caller,
  tx,
}) => ({ unread: await tx.notification.count({ where: unreadOf(recipientOf(caller)) }) });
