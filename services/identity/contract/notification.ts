import {
  code,
  Environment,
  event,
  exceedsBytes,
  freeForm,
  id,
  name,
  requiredText,
  stateTable,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';

/** Maximum number of recipients per call. */
export const recipientsMax = 1_000;
/** Maximum number of notifications in the response. */
export const notificationsShownMax = 100;

const listed = ['scheduled', 'delivered', 'read', 'archived', 'cancelled', 'failed'] as const;
export const NotificationStatus = z.enum(listed).describe('The status of the notification');
export const NotificationPriority = z.enum(['low', 'normal', 'high']).describe('The priority of the notification');
export const NotificationChannel = z
  .enum(['in_app', 'email'], { error: 'Must be in_app or email' })
  .describe('A delivery channel');
export const NotificationEmailStatus = z
  .enum(['pending', 'sent', 'failed', 'suppressed', 'skipped'])
  .describe(
    'The state of the e-mail: waiting, sent, refused by the mail server, not sent because of the sandbox, or not sent because the notification was read before',
  );

/** The type of an action button. */
export const NotificationActionType = z
  .enum(['url', 'api', 'dismiss'])
  .describe('The effect of the button: open a URL, carry out an operation of this API, or dismiss the notification');
/** The style of an action button. */
export const NotificationActionStyle = z
  .enum(['primary', 'secondary'], { error: 'Must be primary or secondary' })
  .describe('The style of the button');

const actionBodyBytesMax = 4_096;

/** An action button of a notification. */
export const NotificationAction = z
  .object({
    id: code()
      // Objects of results by action id cannot have it as a key.
      .refine((id) => id !== '__proto__', { error: 'Must be another name' })
      .meta({ description: 'The id of the action, unique within the notification', examples: ['open'] }),
    label: name(50).meta({ description: 'The label of the button', examples: ['Open'] }),
    type: NotificationActionType,
    url: text(2_000)
      // A path that begins with two slashes, of either kind, would be a URL on another host.
      .regex(/^(https:\/\/|\/(?![/\\]))[^\s]+$/, { error: 'Must be an https URL or a path' })
      .meta({
        description:
          'For `url`: the URL to open, an https URL or a path. For `api`: the path of the operation that the platform sends a POST to, with ids as this API shows them',
        examples: ['/v1/leads'],
      })
      .optional(),
    body: freeForm()
      .refine((body) => !exceedsBytes(JSON.stringify(body), actionBodyBytesMax), { error: 'Must be at most 4 KB' })
      .meta({
        description: 'For `api`: the body of the request, at most 4 KB, with ids as this API shows them',
        examples: [{ status: 'contacted' }],
      })
      .optional(),
    style: NotificationActionStyle.default('secondary'),
  })
  .refine(({ type, url }) => type === 'dismiss' || url !== undefined, {
    error: 'Is required for an action of type url or api',
    path: ['url'],
  })
  .refine(({ type, body }) => type === 'api' || body === undefined, {
    error: 'Is for actions of type api only',
    path: ['body'],
  });
/** The result of the operation that an action of type `api` carried out. */
export const NotificationActionResult = z.object({
  status: z.int().meta({ description: 'The HTTP status of the operation', examples: [200] }),
  code: z
    .string()
    .nullable()
    .meta({ description: 'The error code of the operation; null if it succeeded', examples: [null] }),
});
/** An action button with the time at which it was pressed. */
export const ShownNotificationAction = NotificationAction.safeExtend({
  pressedAt: timestamp()
    .nullable()
    .meta({ description: 'When the user pressed the button; each button can be pressed once', examples: [null] }),
  result: NotificationActionResult.nullable().meta({
    description: 'For `api`: the result of the operation; null before the button was pressed',
    examples: [null],
  }),
});
export const NotificationActions = z
  .array(NotificationAction)
  .max(3, { error: 'Must contain at most 3 actions' })
  .refine((actions) => new Set(actions.map((action) => action.id)).size === actions.length, {
    error: 'Each action must have a unique id',
  });

export const notificationStates = stateTable<(typeof listed)[number]>('Notification', {
  // One that is sent by e-mail only is archived at once, so that it is not counted as unread.
  created: { delivered: 'createNotification', archived: 'createNotification', scheduled: 'createNotification' },
  changes: {
    // Before its first delivery a notification can be cancelled only; a snoozed one can return to the inbox.
    scheduled: {
      delivered: 'unreadNotification',
      archived: 'archiveNotification',
      cancelled: 'cancelNotification',
    },
    delivered: { read: 'readNotification', archived: 'archiveNotification', scheduled: 'snoozeNotification' },
    read: { delivered: 'unreadNotification', archived: 'archiveNotification', scheduled: 'snoozeNotification' },
    archived: { delivered: 'unreadNotification' },
    cancelled: {},
    failed: { archived: 'archiveNotification' },
  },
  automatic: {
    scheduled: { delivered: 'deliver-notifications.job', archived: 'deliver-notifications.job' },
    // A newer notification with the same groupKey archives the unread ones.
    delivered: { archived: 'createNotification', failed: 'mail-notification.job' },
    archived: { failed: 'mail-notification.job' },
  },
});

export const Notification = z.object({
  id: id('notification'),
  batchId: id('notification_batch'),
  userId: id('user').describe('The recipient'),
  title: name(200).meta({ examples: ['Import completed'] }),
  body: requiredText(2_000).meta({
    description: 'The body of the notification',
    examples: ['214 leads were imported; 3 already existed.'],
  }),
  category: z.string().meta({ description: 'A custom category', examples: ['imports'] }),
  priority: NotificationPriority.meta({ examples: ['normal'] }),
  status: NotificationStatus.meta({ examples: ['delivered'] }),
  environment: Environment.describe('The environment of the event or call that caused the notification'),
  allowedTransitions: z.array(NotificationStatus).meta({
    description: 'The statuses that this notification can currently change to',
    examples: [['read', 'archived', 'scheduled']],
  }),
  channels: z
    .array(NotificationChannel)
    .describe(
      'The delivery channels: until the notification is delivered those of its sender, then those that were used',
    ),
  emailStatus: NotificationEmailStatus.nullable().meta({
    description: 'The state of the e-mail; null if there is none',
    examples: [null],
  }),
  isSilent: z.boolean().meta({
    description:
      'Whether the notification was delivered in the quiet hours of the user, so that no sound should be made',
    examples: [false],
  }),
  actions: z.array(ShownNotificationAction).describe('The action buttons, at most three'),
  data: freeForm().meta({ examples: [{ imported: 214 }] }),
  groupKey: z
    .string()
    .nullable()
    .meta({ description: 'The key by which notifications are grouped', examples: ['import-214'] }),
  groupCount: z.int().meta({
    description:
      'The number of notifications that this one stands for: itself and the unread ones with the same groupKey that it replaced',
    examples: [1],
  }),
  scheduledFor: timestamp()
    .nullable()
    .meta({
      description: 'When the notification is due, or was due; null if it was delivered immediately and never snoozed',
      examples: [null],
    }),
  deliveredAt: timestamp().nullable().describe('When the notification was delivered'),
  readAt: timestamp()
    .nullable()
    .meta({ description: 'When the user read the notification', examples: [null] }),
  expiresAt: timestamp()
    .nullable()
    .meta({ description: 'When the notification expires; it is then no longer listed', examples: [null] }),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** A call that notified users. */
export const NotificationBatch = z.object({
  id: id('notification_batch'),
  recipients: z.int().meta({ description: 'The number of recipients', examples: [4] }),
});

export const notificationCreated = event('notification.created', {
  description: 'A notification is sent or scheduled',
  action: 'notification.create',
  target: 'notification_batch',
  data: z.object({ batchId: id('notification_batch'), userIds: z.array(id('user')), title: z.string() }),
  record: NotificationBatch.extend({ category: z.string(), scheduledFor: timestamp().nullable() }),
});

export const notificationDelivered = event('notification.delivered', {
  description: 'Scheduled or snoozed notifications are delivered',
  action: 'notification.deliver',
  audited: false,
  target: 'notification_batch',
  data: z.object({ batchId: id('notification_batch'), userIds: z.array(id('user')) }),
  record: z.object({ id: id('notification_batch') }),
});

export const notificationCancelled = event('notification.cancelled', {
  description: 'A scheduled notification is cancelled',
  action: 'notification.cancel',
  target: 'notification',
  data: z.object({ notificationId: id('notification'), batchId: id('notification_batch'), userId: id('user') }),
  record: z.object({ id: id('notification') }),
});
