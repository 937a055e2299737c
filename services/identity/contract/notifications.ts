import { code, event, freeForm, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** How many users one call may reach. */
export const recipientsMax = 1_000;
/** How many of the notifications that a call creates are in its answer. */
export const notificationsShownMax = 100;

const listed = ['scheduled', 'delivered', 'read', 'archived', 'cancelled', 'failed'] as const;
const Status = z.enum(listed, { error: `Must be one of ${listed.join(', ')}` });
const Priority = z.enum(['low', 'normal', 'high'], { error: 'Must be one of low, normal, high' });
// Mail waits for a sender; until then it is no channel of the contract.
const Channel = z.enum(['in_app'], { error: 'Must be in_app' });

const Action = z
  .object({
    id: code(),
    label: name(50),
    type: z.enum(['url', 'api', 'dismiss'], { error: 'Must be one of url, api, dismiss' }),
    /** Where a url leads, or which call an api makes: https://…, or a path of this API. */
    url: text(2_000)
      // What begins with two slashes, of either kind, is the address of another host.
      .regex(/^(https:\/\/|\/(?![/\\]))[^\s]+$/, { error: 'Must be an https address or a path' })
      .optional(),
    style: z.enum(['primary', 'secondary'], { error: 'Must be primary or secondary' }).default('secondary'),
  })
  .refine(({ type, url }) => type === 'dismiss' || url !== undefined, {
    error: 'An action of type url or api needs one',
    path: ['url'],
  });
const Actions = z
  .array(Action)
  .max(3, { error: 'Must be at most 3 actions' })
  .refine((actions) => new Set(actions.map((action) => action.id)).size === actions.length, {
    error: 'Each action needs an id of its own',
  });

export const Notification = z.object({
  id: id('notification'),
  batchId: id('notification_batch'),
  userId: id('user'),
  title: name(200),
  body: name(2_000),
  category: z.string(),
  priority: Priority,
  status: Status,
  channels: z.array(Channel),
  actions: z.array(Action),
  data: freeForm(),
  groupKey: z.string().nullable(),
  scheduledFor: timestamp().nullable(),
  deliveredAt: timestamp().nullable(),
  readAt: timestamp().nullable(),
  expiresAt: timestamp().nullable(),
  createdAt: timestamp(),
});

const Batch = z.object({ id: id('notification_batch'), recipients: z.int() });

export const notificationCreated = event('notification.created', {
  description: 'Users are notified, or will be at a later time',
  action: 'notification.create',
  target: 'notification_batch',
  data: z.object({ batchId: id('notification_batch'), userIds: z.array(id('user')), title: z.string() }),
  record: Batch.extend({ category: z.string(), scheduledFor: timestamp().nullable() }),
});

export const notifications = operations({
  createNotification: {
    method: 'POST',
    path: '/v1/notifications',
    permission: 'notifications:write',
    summary: 'Notify users',
    description:
      'Reaches the users named, and the active ones of the teams and roles named: each of them once, at most 1,000. With scheduledFor at that time, otherwise at once. `recipients` counts all of them; the answer shows the first 100 notifications, in the order of the users.',
    body: z.object({
      title: name(200),
      body: name(2_000),
      userIds: z
        .array(id('user'))
        .max(recipientsMax, { error: `Must be at most ${recipientsMax} users` })
        .optional(),
      teamIds: z.array(id('team')).max(100, { error: 'Must be at most 100 teams' }).optional(),
      roleIds: z.array(id('role')).max(100, { error: 'Must be at most 100 roles' }).optional(),
      category: code(50).default('general'),
      priority: Priority.default('normal'),
      channels: z.array(Channel).min(1, { error: 'Must name at least one channel' }).default(['in_app']),
      actions: Actions.default([]),
      data: freeForm().default({}),
      scheduledFor: timestamp().nullish(),
      expiresAt: timestamp().nullish(),
      groupKey: name(100).nullish(),
    }),
    reply: Batch.extend({
      /** The first 100 of the batch. */
      notifications: z.array(Notification).max(notificationsShownMax),
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
      'Those of the user signed in or acted for, else of the creator of the API key. Expired ones are not shown, and those still to come only with `status=scheduled`.',
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({ status: Status.optional(), category: code(50).optional() }),
    reply: page(Notification),
    message: 'Notifications retrieved',
  },
});
