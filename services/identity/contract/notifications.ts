import {
  code,
  freeForm,
  id,
  listQuery,
  media,
  name,
  operations,
  page,
  requiredText,
  sharedErrors,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import {
  Notification,
  NotificationActionResult,
  NotificationActions,
  NotificationActionType,
  NotificationBatch,
  NotificationChannel,
  NotificationPriority,
  NotificationStatus,
  notificationCancelled,
  notificationCreated,
  notificationsShownMax,
  recipientsMax,
} from './notification.ts';

const withId = z.object({ id: id('notification') });
const moved = { transition_refused: sharedErrors.transition_refused } as const;

const exampleBody = {
  title: 'Import completed',
  body: '214 leads were imported; 3 already existed.',
  roleIds: ['YHoe8Hd3lGJBU2lN'],
  category: 'imports',
  actions: [{ id: 'open', label: 'Open', type: 'url', url: '/v1/leads' }],
  data: { imported: 214 },
  groupKey: 'import-214',
};

export const notifications = operations({
  createNotification: {
    method: 'POST',
    path: '/v1/notifications',
    permission: 'notifications:write',
    summary: 'Notify users',
    description:
      'Notifies the users in `userIds` and the active users of the teams and roles: each of them once, at most 1,000. An action of type `api` names an operation by its path; the creator needs its permission without a limit to own or team records, and so does whoever presses the button, to the records in question. Operations about users, roles, teams, API keys, webhooks, billing, the tenant or notifications are not accepted. `recipients` is the number of all of them; the response contains the first 100 notifications, ordered by user.',
    body: z
      .object({
        title: name(200).meta({ examples: ['Import completed'] }),
        body: requiredText(2_000).meta({
          description: 'The body of the notification',
          examples: ['214 leads were imported; 3 already existed.'],
        }),
        userIds: z
          .array(id('user'))
          .max(recipientsMax, { error: `Must contain at most ${recipientsMax} users` })
          .describe('The users to notify')
          .optional(),
        teamIds: z
          .array(id('team'))
          .max(100, { error: 'Must contain at most 100 teams' })
          .describe('Notify the active users of these teams')
          .optional(),
        roleIds: z
          .array(id('role'))
          .max(100, { error: 'Must contain at most 100 roles' })
          .describe('Notify the active users with these roles')
          .optional(),
        category: code(50).describe('A custom category').default('general'),
        priority: NotificationPriority.default('normal'),
        channels: z
          .array(NotificationChannel)
          .min(1, { error: 'Must contain at least one channel' })
          .describe('The delivery channels')
          .default(['in_app']),
        actions: NotificationActions.describe('The action buttons, at most three').default([]),
        data: freeForm().default({}),
        scheduledFor: timestamp().nullish().describe('When to deliver the notification. Defaults to now.'),
        expiresAt: timestamp().nullish().describe('When the notification expires; it is then no longer listed'),
        groupKey: name(100).nullish().describe('The key by which notifications are grouped'),
      })
      .meta({ examples: [exampleBody] }),
    reply: NotificationBatch.extend({
      notifications: z
        .array(Notification)
        .max(notificationsShownMax)
        .describe('The first 100 notifications of the batch'),
    }),
    status: 201,
    message: 'Notification created',
    emits: [notificationCreated],
  },
  listNotifications: {
    method: 'GET',
    path: '/v1/notifications',
    permission: 'notifications:read',
    narrows: true,
    summary: 'List the notifications of the caller',
    description:
      'Returns the notifications of the signed-in user, of the user in X-On-Behalf-Of, or otherwise of the creator of the API key. Expired notifications are excluded. Without `status`, the list has the inbox: delivered and read notifications.',
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({
        status: NotificationStatus.optional(),
        category: code(50)
          .meta({ examples: ['imports'] })
          .optional(),
      }),
    reply: page(Notification),
    message: 'Notifications retrieved',
  },
  countUnreadNotifications: {
    method: 'GET',
    path: '/v1/notifications/unread-count',
    permission: 'notifications:read',
    narrows: true,
    summary: 'Count the unread notifications of the caller',
    reply: z.object({
      unread: z.int().meta({ description: 'The number of unread notifications that have not expired', examples: [3] }),
    }),
    message: 'Unread notifications counted',
  },
  streamNotifications: {
    method: 'GET',
    path: '/v1/notifications/stream',
    permission: 'notifications:read',
    narrows: true,
    summary: 'Stream the notifications of the caller',
    description:
      'Server-sent events: `notification` has a notification that is new or has changed, `unread` the number of unread ones (`{"unread":3}`). A comment is sent every 15 seconds. The id of an event is a position in the notifications of the user: a client that sends the last one as `Last-Event-ID` (or `lastEventId`) gets what it missed, of each notification the latest state; without it, the stream begins now. The stream ends when the credential does, and when an instance stops: connect again. A user can have 10 streams open, a tenant 200.',
    query: z.object({
      lastEventId: z.coerce
        .number()
        .int()
        .nonnegative()
        .max(Number.MAX_SAFE_INTEGER)
        .meta({
          description: 'The id of the last event that was received; the header `Last-Event-ID` wins',
          examples: [41],
        })
        .optional(),
    }),
    reply: media('text/event-stream'),
    message: 'Stream opened',
    errors: { too_many_streams: [429, 'Too many streams are open; close one, or try again later'] },
  },
  getNotification: {
    method: 'GET',
    path: '/v1/notifications/:id',
    permission: 'notifications:read',
    narrows: true,
    summary: 'Retrieve a notification of the caller',
    params: withId,
    reply: Notification,
    message: 'Notification retrieved',
  },
  readNotification: {
    method: 'POST',
    path: '/v1/notifications/:id/read',
    permission: 'notifications:read',
    narrows: true,
    summary: 'Mark a notification as read',
    params: withId,
    reply: Notification,
    message: 'Notification marked as read',
    emits: [],
    errors: moved,
  },
  unreadNotification: {
    method: 'POST',
    path: '/v1/notifications/:id/unread',
    permission: 'notifications:read',
    narrows: true,
    summary: 'Mark a notification as unread',
    description: 'Also moves an archived notification back to the inbox.',
    params: withId,
    reply: Notification,
    message: 'Notification marked as unread',
    emits: [],
    errors: moved,
  },
  archiveNotification: {
    method: 'POST',
    path: '/v1/notifications/:id/archive',
    permission: 'notifications:read',
    narrows: true,
    summary: 'Archive a notification',
    description: 'Archived notifications are deleted after 90 days.',
    params: withId,
    reply: Notification,
    message: 'Notification archived',
    emits: [],
    errors: moved,
  },
  snoozeNotification: {
    method: 'POST',
    path: '/v1/notifications/:id/snooze',
    permission: 'notifications:read',
    narrows: true,
    summary: 'Snooze a notification',
    description: 'Removes the notification from the inbox and delivers it again, unread, at the given time.',
    params: withId,
    body: z.object({
      until: timestamp().meta({
        description: 'When to deliver the notification again: from one minute to a year from now, before it expires',
        examples: ['2026-03-05T08:00:00.000Z'],
      }),
    }),
    reply: Notification,
    message: 'Notification snoozed',
    emits: [],
    errors: moved,
  },
  readAllNotifications: {
    method: 'POST',
    path: '/v1/notifications/read-all',
    permission: 'notifications:read',
    narrows: true,
    summary: 'Mark all notifications as read',
    description:
      'Marks the oldest 10,000 unread notifications of the caller as read. `unread` is the number that remains, of all categories.',
    body: z.object({
      category: code(50)
        .meta({ description: 'Only notifications of this category', examples: ['imports'] })
        .optional(),
      before: timestamp()
        .meta({
          description:
            'Only notifications that were delivered until then, such as the time at which the list was shown',
          examples: ['2026-03-04T08:00:00.000Z'],
        })
        .optional(),
    }),
    reply: z.object({
      updated: z.int().meta({ description: 'The number of notifications that were marked as read', examples: [3] }),
      unread: z.int().meta({ description: 'The number of unread notifications that remain', examples: [0] }),
    }),
    message: 'Notifications marked as read',
    emits: [],
  },
  pressNotificationAction: {
    method: 'POST',
    path: '/v1/notifications/:id/actions/:actionId',
    permission: 'notifications:read',
    narrows: true,
    ifMatch: true,
    performs: '/internal/notifications/:id/actions/:actionId',
    summary: 'Press an action button',
    description:
      'Each button can be pressed once. `url` returns the address to open. `api` carries out the operation, once and with the permissions of the caller, and returns its status in `result`; an error of the operation (4xx) is a result too. If the operation fails (5xx) or is limited (429), the response is `action_failed`, and the button can be pressed again. `dismiss` archives the notification. Pressing marks the notification as read.',
    params: withId.extend({
      actionId: code().meta({ description: 'The id of the action within the notification', examples: ['open'] }),
    }),
    reply: z.object({
      actionId: z.string().meta({ description: 'The id of the action', examples: ['open'] }),
      type: NotificationActionType,
      url: z
        .string()
        .nullable()
        .meta({
          description: 'The address to open, or the path of the operation; null for dismiss',
          examples: ['/v1/leads'],
        }),
      result: NotificationActionResult.nullable().meta({
        description: 'The result of the operation; null unless the type is `api`',
        examples: [null],
      }),
      notification: Notification.describe('The notification after the action'),
    }),
    message: 'Action performed',
    emits: [],
    errors: {
      ...moved,
      already_pressed: [409, 'The button was pressed already; each button can be pressed once'],
      wrong_environment: [409, 'The button acts in the other environment; press it with its X-Environment'],
      action_failed: [503, 'The operation of the button failed; press it again later'],
    },
  },
  cancelNotification: {
    method: 'DELETE',
    path: '/v1/notifications/:id',
    permission: 'notifications:write',
    narrows: true,
    summary: 'Cancel a scheduled notification',
    description:
      'Its recipient, and the user who created it, can cancel a notification until it is delivered. The recipient can cancel snoozed notifications too.',
    params: withId,
    reply: Notification,
    message: 'Notification cancelled',
    emits: [notificationCancelled],
    errors: moved,
  },
});
