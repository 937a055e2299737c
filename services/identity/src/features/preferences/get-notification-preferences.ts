import type { preferences } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { recipientOf } from '../notifications/notification.ts';
import { asUserPreferences } from './preference.ts';

export const getNotificationPreferences: Handler<typeof preferences.getNotificationPreferences> = async ({
  caller,
  tx,
}) => {
  const userId = recipientOf(caller);
  const { notifications, quietHours } = asUserPreferences(
    userId,
    await tx.userPreference.findFirst({ where: { userId } }),
  );
  return { categories: notifications, quietHours };
};
