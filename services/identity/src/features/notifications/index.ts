import type { notifications } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { createNotification } from './create-notification.ts';
import { listNotifications } from './list-notifications.ts';

export const notificationHandlers = { createNotification, listNotifications } satisfies Handlers<
  typeof notifications,
  Tx
>;
