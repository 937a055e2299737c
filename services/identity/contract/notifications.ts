import { code, event, freeForm, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** How many users one call may reach. */
export const recipientsMax = 1_000;
/** How many of the notifications that a call creates are in its answer. */
export const notificationsShownMax = 100;

const listed = ['scheduled', 'delivered', 'read', 'archived', 'cancelled', 'failed'] as const;
export const NotificationStatus = z
  .enum(listed, { error: `Must be one of ${listed.join(', ')}` })
  .describe('How far the notification has come');
export const NotificationPriority = z
  .enum(['low', 'normal', 'high'], { error: 'Must be one of low, normal, high' })
  .describe('How urgent the notification is');
// Mail waits for a sender; until then it is no channel of the contract.
export const NotificationChannel = z
  .enum(['in_app'], { error: 'Must be in_app' })
  .describe('How the notification reaches the user');

/** What a button does. */
export const NotificationActionType = z
  .enum(['url', 'api', 'dismiss'], { error: 'Must be one of url, api, dismiss' })
  .describe('What the button does: open an address, call this API, or dismiss the notification');
/** How a button looks. */
export const NotificationActionStyle = z
  .enum(['primary', 'secondary'], { error: 'Must be primary or secondary' })
  .describe('How the button looks');

/** A button of a notification. */
export const NotificationAction = z
  .object({
    id: code().meta({ description: 'Names the action within its notification', examples: ['open'] }),
    label: name(50).meta({ description: 'The text of the button', examples: ['Open'] }),
    type: NotificationActionType,
    url: text(2_000)
      // What begins with two slashes, of either kind, is the address of another host.
      .regex(/^(https:\/\/|\/(?![/\\]))[^\s]+$/, { error: 'Must be an https address or a path' })
      .meta({
        description: 'The address to open or to call: https://…, or a path of this API',
        examples: ['/v1/leads'],
      })
      .optional(),
    style: NotificationActionStyle.default('secondary'),
  })
  .refine(({ type, url }) => type === 'dismiss' || url !== undefined, {
    error: 'An action of type url or api needs one',
    path: ['url'],
  });
const Actions = z
  .array(NotificationAction)
  .max(3, { error: 'Must be at most 3 actions' })
  .refine((actions) => new Set(actions.map((action) => action.id)).size === actions.length, {
    error: 'Each action needs an id of its own',
  });

export const Notification = z.object({
  id: id('notification'),
  batchId: id('notification_batch'),
  userId: id('user').describe('The user who is notified'),
  title: name(200).meta({ examples: ['Your import is done'] }),
  body: name(2_000).meta({
    description: 'The text of the notification',
    examples: ['214 leads were added, 3 existed already.'],
  }),
  category: z.string().meta({ description: 'A category of your own', examples: ['imports'] }),
  priority: NotificationPriority.meta({ examples: ['normal'] }),
  status: NotificationStatus.meta({ examples: ['delivered'] }),
  channels: z.array(NotificationChannel).describe('How the notification reaches the user'),
  actions: z.array(NotificationAction).describe('The buttons, at most three'),
  data: freeForm().meta({ examples: [{ imported: 214 }] }),
  groupKey: z
    .string()
    .nullable()
    .meta({ description: 'Notifications with the same key belong together', examples: ['import-214'] }),
  scheduledFor: timestamp()
    .nullable()
    .meta({ description: 'When the notification is due; null for at once', examples: [null] }),
  deliveredAt: timestamp().nullable().describe('When the notification was delivered'),
  readAt: timestamp()
    .nullable()
    .meta({ description: 'When the user read it', examples: [null] }),
  expiresAt: timestamp()
    .nullable()
    .meta({ description: 'When the notification is no longer shown', examples: [null] }),
  createdAt: timestamp(),
});

const Batch = z.object({
  id: id('notification_batch'),
  recipients: z.int().meta({ description: 'The number of users who are notified', examples: [4] }),
});

export const notificationCreated = event('notification.created', {
  description: 'Users are notified, or will be at a later time',
  action: 'notification.create',
  target: 'notification_batch',
  data: z.object({ batchId: id('notification_batch'), userIds: z.array(id('user')), title: z.string() }),
  record: Batch.extend({ category: z.string(), scheduledFor: timestamp().nullable() }),
});

const exampleBody = {
  title: 'Your import is done',
  body: '214 leads were added, 3 existed already.',
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
      'Notifies the given users and the active users of the given teams and roles: each of them once, at most 1,000. `recipients` counts all of them; the answer contains the first 100 notifications, in the order of the users.',
    body: z
      .object({
        title: name(200).meta({ examples: ['Your import is done'] }),
        body: name(2_000).meta({
          description: 'The text of the notification',
          examples: ['214 leads were added, 3 existed already.'],
        }),
        userIds: z
          .array(id('user'))
          .max(recipientsMax, { error: `Must be at most ${recipientsMax} users` })
          .describe('The users to notify')
          .optional(),
        teamIds: z
          .array(id('team'))
          .max(100, { error: 'Must be at most 100 teams' })
          .describe('Notify the active users of these teams')
          .optional(),
        roleIds: z
          .array(id('role'))
          .max(100, { error: 'Must be at most 100 roles' })
          .describe('Notify the active users with these roles')
          .optional(),
        category: code(50).describe('A category of your own').default('general'),
        priority: NotificationPriority.default('normal'),
        channels: z
          .array(NotificationChannel)
          .min(1, { error: 'Must name at least one channel' })
          .describe('How the notification reaches the users')
          .default(['in_app']),
        actions: Actions.describe('The buttons, at most three').default([]),
        data: freeForm().default({}),
        scheduledFor: timestamp().nullish().describe('When to deliver it. Defaults to now.'),
        expiresAt: timestamp().nullish().describe('When it is no longer shown'),
        groupKey: name(100).nullish().describe('Notifications with the same key belong together'),
      })
      .meta({ examples: [exampleBody] }),
    reply: Batch.extend({
      notifications: z.array(Notification).max(notificationsShownMax).describe('The first 100 of the batch'),
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
      'Returns the notifications of the user who signed in or is acted for, or else of the creator of the API key. Expired notifications are left out, and scheduled ones unless `status=scheduled`.',
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
});
