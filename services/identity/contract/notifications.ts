import { code, event, freeForm, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** Maximum number of recipients per call. */
export const recipientsMax = 1_000;
/** Maximum number of notifications in the response. */
export const notificationsShownMax = 100;

const listed = ['scheduled', 'delivered', 'read', 'archived', 'cancelled', 'failed'] as const;
export const NotificationStatus = z.enum(listed).describe('The status of the notification');
export const NotificationPriority = z.enum(['low', 'normal', 'high']).describe('The priority of the notification');
// E-mail is not offered as a channel until there is a mail sender.
export const NotificationChannel = z.enum(['in_app'], { error: 'Must be in_app' }).describe('A delivery channel');

/** The type of an action button. */
export const NotificationActionType = z
  .enum(['url', 'api', 'dismiss'])
  .describe('The effect of the button: open a URL, call this API, or dismiss the notification');
/** The style of an action button. */
export const NotificationActionStyle = z
  .enum(['primary', 'secondary'], { error: 'Must be primary or secondary' })
  .describe('The style of the button');

/** An action button of a notification. */
export const NotificationAction = z
  .object({
    id: code().meta({ description: 'The id of the action, unique within the notification', examples: ['open'] }),
    label: name(50).meta({ description: 'The label of the button', examples: ['Open'] }),
    type: NotificationActionType,
    url: text(2_000)
      // A path that begins with two slashes, of either kind, would be a URL on another host.
      .regex(/^(https:\/\/|\/(?![/\\]))[^\s]+$/, { error: 'Must be an https URL or a path' })
      .meta({
        description: 'The URL to open or to call: an https URL or a path of this API',
        examples: ['/v1/leads'],
      })
      .optional(),
    style: NotificationActionStyle.default('secondary'),
  })
  .refine(({ type, url }) => type === 'dismiss' || url !== undefined, {
    error: 'Is required for an action of type url or api',
    path: ['url'],
  });
const Actions = z
  .array(NotificationAction)
  .max(3, { error: 'Must contain at most 3 actions' })
  .refine((actions) => new Set(actions.map((action) => action.id)).size === actions.length, {
    error: 'Each action must have a unique id',
  });

export const Notification = z.object({
  id: id('notification'),
  batchId: id('notification_batch'),
  userId: id('user').describe('The recipient'),
  title: name(200).meta({ examples: ['Import completed'] }),
  body: name(2_000).meta({
    description: 'The body of the notification',
    examples: ['214 leads were imported; 3 already existed.'],
  }),
  category: z.string().meta({ description: 'A custom category', examples: ['imports'] }),
  priority: NotificationPriority.meta({ examples: ['normal'] }),
  status: NotificationStatus.meta({ examples: ['delivered'] }),
  channels: z.array(NotificationChannel).describe('A delivery channel'),
  actions: z.array(NotificationAction).describe('The action buttons, at most three'),
  data: freeForm().meta({ examples: [{ imported: 214 }] }),
  groupKey: z
    .string()
    .nullable()
    .meta({ description: 'The key by which notifications are grouped', examples: ['import-214'] }),
  scheduledFor: timestamp()
    .nullable()
    .meta({ description: 'When the notification is due; null if it was delivered immediately', examples: [null] }),
  deliveredAt: timestamp().nullable().describe('When the notification was delivered'),
  readAt: timestamp()
    .nullable()
    .meta({ description: 'When the user read the notification', examples: [null] }),
  expiresAt: timestamp()
    .nullable()
    .meta({ description: 'When the notification expires; it is then no longer listed', examples: [null] }),
  createdAt: timestamp(),
});

const Batch = z.object({
  id: id('notification_batch'),
  recipients: z.int().meta({ description: 'The number of recipients', examples: [4] }),
});

export const notificationCreated = event('notification.created', {
  description: 'A notification is sent or scheduled',
  action: 'notification.create',
  target: 'notification_batch',
  data: z.object({ batchId: id('notification_batch'), userIds: z.array(id('user')), title: z.string() }),
  record: Batch.extend({ category: z.string(), scheduledFor: timestamp().nullable() }),
});

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
      'Notifies the users in `userIds` and the active users of the teams and roles: each of them once, at most 1,000. `recipients` is the number of all of them; the response contains the first 100 notifications, ordered by user.',
    body: z
      .object({
        title: name(200).meta({ examples: ['Import completed'] }),
        body: name(2_000).meta({
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
        actions: Actions.describe('The action buttons, at most three').default([]),
        data: freeForm().default({}),
        scheduledFor: timestamp().nullish().describe('When to deliver the notification. Defaults to now.'),
        expiresAt: timestamp().nullish().describe('When the notification expires; it is then no longer listed'),
        groupKey: name(100).nullish().describe('The key by which notifications are grouped'),
      })
      .meta({ examples: [exampleBody] }),
    reply: Batch.extend({
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
      'Returns the notifications of the signed-in user, of the user in X-On-Behalf-Of, or otherwise of the creator of the API key. Expired notifications are excluded, and scheduled ones unless `status=scheduled`.',
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
