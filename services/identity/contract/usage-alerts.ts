import { event, id, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { NotificationChannel } from './notification.ts';
import { withSubscriptionId } from './subscriptions.ts';

/** The thresholds and channels until somebody chooses others. */
export const defaultUsageAlerts = { thresholds: [80, 90, 100], channels: ['in_app', 'email'] } as const;

const distinct = (values: readonly unknown[]) => new Set(values).size === values.length;

export const UsageAlerts = z.object({
  thresholds: z
    .array(z.int().min(1).max(100))
    .max(10, { error: 'Must contain at most 10 thresholds' })
    .refine(distinct, { error: 'Must not contain a threshold twice' })
    .meta({
      description: 'The percentages of the monthly calls at which people are notified; empty for no alerts',
      examples: [[80, 90, 100]],
    }),
  channels: z
    .array(NotificationChannel)
    .min(1, { error: 'Must contain at least one channel' })
    .max(2)
    .refine(distinct, { error: 'Must not contain a channel twice' })
    .meta({ description: 'The channels of the notifications', examples: [['in_app', 'email']] }),
  userIds: z
    .array(id('user'))
    .min(1)
    .max(100)
    .refine(distinct, { error: 'Must not contain a user twice' })
    .nullable()
    .describe('The users who are notified; null for everybody who manages billing'),
  version: z.int(),
  updatedAt: timestamp().nullable().describe('When the alerts were changed; null if they are the default'),
});

export const usageThresholdReached = event('usage.threshold_reached', {
  group: 'billing',
  readPermission: 'billing:read',
  description: 'The calls of a month reach a threshold of the usage alerts',
  action: 'usage.reach_threshold',
  target: 'subscription',
  data: z.object({
    subscriptionId: id('subscription'),
    threshold: z.int().describe('The percentage of the monthly calls'),
    used: z.int().describe('The number of calls in the month so far'),
    limit: z.int().describe('The number of calls that the plan includes'),
    month: z.string().describe('The month (UTC)'),
  }),
  record: z.object({ id: id('subscription'), threshold: z.int() }),
  example: { subscriptionId: 'q8QKslciGRd5IN7s', threshold: 80, used: 800, limit: 1_000, month: '2026-03' },
});

export const usageAlertsUpdated = event('subscription.usage_alerts_updated', {
  description: 'The usage alerts are updated',
  action: 'subscription.update_usage_alerts',
  target: 'subscription',
  data: z.object({ subscriptionId: id('subscription') }),
  record: UsageAlerts.omit({ version: true, updatedAt: true }).extend({ id: id('subscription') }),
});

export const usageAlerts = operations({
  getUsageAlerts: {
    method: 'GET',
    path: '/v1/subscriptions/:id/usage-alerts',
    permission: 'billing:read',
    summary: 'Retrieve the usage alerts',
    params: withSubscriptionId,
    reply: UsageAlerts,
    message: 'Usage alerts retrieved',
  },
  updateUsageAlerts: {
    method: 'PUT',
    path: '/v1/subscriptions/:id/usage-alerts',
    permission: 'billing:manage',
    summary: 'Set the usage alerts',
    description:
      'Each threshold notifies once a month, within seconds after it is reached, and again when the plan and with it the number of calls changes. Tenants without a monthly limit get no alerts.',
    params: withSubscriptionId,
    body: UsageAlerts.pick({ thresholds: true, channels: true, userIds: true }).extend({
      userIds: UsageAlerts.shape.userIds.default(null),
    }),
    reply: UsageAlerts,
    message: 'Usage alerts updated',
    emits: [usageAlertsUpdated],
  },
});
