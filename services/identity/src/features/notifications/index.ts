import type { internalNotificationActions, notifications } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { archiveNotification } from './archive-notification.ts';
import { cancelNotification } from './cancel-notification.ts';
import { countUnreadNotifications } from './count-unread-notifications.ts';
import { createNotification } from './create-notification.ts';
import { findNotificationCall } from './find-notification-call.ts';
import { getNotification } from './get-notification.ts';
import { listNotifications } from './list-notifications.ts';
import { pressNotificationAction } from './press-notification-action.ts';
import { readAllNotifications } from './read-all-notifications.ts';
import { readNotification } from './read-notification.ts';
import { snoozeNotification } from './snooze-notification.ts';
import { streamNotifications } from './stream-notifications.ts';
import { unreadNotification } from './unread-notification.ts';

export const notificationHandlers = (tools: Tools) =>
  ({
    createNotification: createNotification(tools),
    listNotifications,
    countUnreadNotifications,
    streamNotifications: streamNotifications(tools),
    getNotification,
    readNotification: readNotification(tools),
    unreadNotification: unreadNotification(tools),
    archiveNotification: archiveNotification(tools),
    snoozeNotification: snoozeNotification(tools),
    readAllNotifications: readAllNotifications(tools),
    pressNotificationAction: pressNotificationAction(tools),
    cancelNotification: cancelNotification(tools),
    findNotificationCall,
  }) satisfies Handlers<typeof notifications & typeof internalNotificationActions, Tx>;
