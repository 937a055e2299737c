import type { preferences } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { getNotificationPreferences } from './get-notification-preferences.ts';
import { getUserPreferences } from './get-user-preferences.ts';
import { setNotificationPreferences } from './set-notification-preferences.ts';
import { updateUserPreferences } from './update-user-preferences.ts';

export const preferenceHandlers = {
  getNotificationPreferences,
  setNotificationPreferences,
  getUserPreferences,
  updateUserPreferences,
} satisfies Handlers<typeof preferences, Tx>;
