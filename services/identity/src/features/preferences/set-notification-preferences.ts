import type { preferences } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { recipientOf } from '../notifications/notification.ts';
import { writePreferences } from './write-preferences.ts';

export const setNotificationPreferences: Handler<typeof preferences.setNotificationPreferences> = async (context) => {
  const { body, caller } = context;
  const { notifications, quietHours } = await writePreferences(context, recipientOf(caller), {
    notifications: body.categories,
    quietHours: body.quietHours ?? null,
  });
  return { categories: notifications, quietHours };
};
