import { event, id, listQuery, operations, page, planCodes, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { InstalledAddon } from './addons.ts';

const statuses = ['trialing', 'active', 'past_due', 'canceled'] as const;
const SubscriptionStatus = z.enum(statuses, { error: `Must be one of ${statuses.join(', ')}` });

export const Subscription = z.object({
  id: id('subscription'),
  tenantId: id('tenant'),
  planCode: z.enum(planCodes),
  status: SubscriptionStatus,
  /** The statuses that this subscription may move to now. */
  allowedTransitions: z.array(SubscriptionStatus),
  /** Periods are calendar months in UTC; of a canceled subscription it is the last one. */
  currentPeriodStart: timestamp(),
  currentPeriodEnd: timestamp(),
  cancelAtPeriodEnd: z.boolean(),
  canceledAt: timestamp().nullable(),
  cancelReason: text(500).nullable(),
  addons: z.array(InstalledAddon),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const withId = z.object({ id: id('subscription') });
const exampleId = 'Sb5nX2wFq8JkTrGm';
const subscriptionEvent = {
  group: 'billing',
  readPermission: 'billing:read',
  target: 'subscription',
  data: z.object({ subscriptionId: id('subscription'), planCode: z.enum(planCodes), status: SubscriptionStatus }),
  // What is told is the subscription itself; addons have events of their own.
  record: Subscription.omit({ addons: true }),
} as const;

export const subscriptionUpdated = event('subscription.updated', {
  ...subscriptionEvent,
  example: { subscriptionId: exampleId, planCode: 'pro', status: 'active' },
  description: 'A subscription changes its plan, or is to end with its period',
  action: 'subscription.update',
});
export const subscriptionCanceled = event('subscription.canceled', {
  ...subscriptionEvent,
  example: { subscriptionId: exampleId, planCode: 'pro', status: 'canceled' },
  description: 'A subscription ends',
  action: 'subscription.cancel',
});

export const subscriptions = operations({
  listSubscriptions: {
    method: 'GET',
    path: '/v1/subscriptions',
    permission: 'billing:read',
    summary: 'List the subscriptions of the tenant',
    description: 'Every tenant has one from the start, on the plan it is on.',
    query: listQuery(['createdAt']).omit({ search: true }).extend({ status: SubscriptionStatus.optional() }),
    reply: page(Subscription),
    message: 'Subscriptions retrieved',
  },
  getSubscription: {
    method: 'GET',
    path: '/v1/subscriptions/:id',
    permission: 'billing:read',
    summary: 'Retrieve a subscription',
    params: withId,
    reply: Subscription,
    message: 'Subscription retrieved',
  },
  getSubscriptionUsage: {
    method: 'GET',
    path: '/v1/subscriptions/:id/usage',
    permission: 'billing:read',
    summary: 'Retrieve how much of the plan is used',
    description:
      'With an API key `apiCalls.used` is the X-API-Usage-Current of the same answer. The days of `series` follow some seconds behind.',
    params: withId,
    reply: z.object({
      period: z.object({ start: timestamp(), end: timestamp() }),
      apiCalls: z.object({
        used: z.int(),
        /** null: without limit. */
        limit: z.int().nullable(),
        remaining: z.int().nullable(),
        percent: z.number().nullable(),
        /** What the period comes to if its rest is like what has passed. */
        projected: z.int(),
      }),
      series: z.array(z.object({ date: z.iso.date(), calls: z.int() })),
    }),
    message: 'Subscription usage retrieved',
  },
  cancelSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/:id/cancel',
    permission: 'billing:manage',
    summary: 'Cancel a subscription',
    description: 'With the end of its period, or at once with `atPeriodEnd: false`.',
    params: withId,
    body: z.object({ atPeriodEnd: z.boolean().default(true), reason: text(500).nullish() }),
    reply: Subscription,
    message: 'Subscription canceled',
    emits: [subscriptionUpdated, subscriptionCanceled],
    errors: { already_canceled: [409, 'The subscription is canceled already, or will be with the end of its period'] },
  },
});
