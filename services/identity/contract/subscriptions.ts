import { event, id, listQuery, operations, PlanCode, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { InstalledAddon } from './addons.ts';

const statuses = ['trialing', 'active', 'past_due', 'canceled'] as const;
export const SubscriptionStatus = z.enum(statuses).describe('The status of the subscription');

export const Subscription = z.object({
  id: id('subscription'),
  tenantId: id('tenant'),
  planCode: PlanCode.meta({ examples: ['pro'] }),
  status: SubscriptionStatus.meta({ examples: ['active'] }),
  allowedTransitions: z
    .array(SubscriptionStatus)
    .meta({ description: 'The statuses that this subscription can currently change to', examples: [['canceled']] }),
  currentPeriodStart: timestamp().meta({
    description:
      'The start of the current period, or of the last period of a canceled subscription. Periods are calendar months in UTC.',
    examples: ['2026-03-01T00:00:00.000Z'],
  }),
  currentPeriodEnd: timestamp().meta({ description: 'The end of the period', examples: ['2026-04-01T00:00:00.000Z'] }),
  cancelAtPeriodEnd: z
    .boolean()
    .meta({ description: 'Whether the subscription ends at the end of the period', examples: [false] }),
  canceledAt: timestamp()
    .nullable()
    .meta({ description: 'When the subscription was canceled', examples: [null] }),
  cancelReason: text(500)
    .nullable()
    .meta({ description: 'The reason for the cancellation', examples: [null] }),
  addons: z.array(InstalledAddon).describe('The installed addons'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const withId = z.object({ id: id('subscription') });
const exampleId = 'q8QKslciGRd5IN7s';
const subscriptionEvent = {
  group: 'billing',
  readPermission: 'billing:read',
  target: 'subscription',
  data: z.object({ subscriptionId: id('subscription'), planCode: PlanCode, status: SubscriptionStatus }),
  // Events describe the subscription only; addons have their own events.
  record: Subscription.omit({ addons: true }),
} as const;

export const subscriptionUpdated = event('subscription.updated', {
  ...subscriptionEvent,
  example: { subscriptionId: exampleId, planCode: 'pro', status: 'active' },
  description: 'The plan of a subscription changes, or its cancellation is scheduled',
  action: 'subscription.update',
});
export const subscriptionCanceled = event('subscription.canceled', {
  ...subscriptionEvent,
  example: { subscriptionId: exampleId, planCode: 'pro', status: 'canceled' },
  description: 'A subscription is canceled',
  action: 'subscription.cancel',
});

export const subscriptions = operations({
  listSubscriptions: {
    method: 'GET',
    path: '/v1/subscriptions',
    permission: 'billing:read',
    summary: 'List subscriptions',
    description: 'Every tenant has one subscription, which is created at sign-up.',
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
    summary: 'Retrieve the usage of a subscription',
    description:
      'With an API key, `apiCalls.used` equals the X-API-Usage-Current header of the same response. `series` is updated within seconds.',
    params: withId,
    reply: z.object({
      period: z
        .object({
          start: timestamp().meta({ description: 'The start of the period', examples: ['2026-03-01T00:00:00.000Z'] }),
          end: timestamp().meta({
            description: 'The start of the next period',
            examples: ['2026-04-01T00:00:00.000Z'],
          }),
        })
        .describe('The current period'),
      apiCalls: z
        .object({
          used: z.int().meta({ description: 'The number of calls in the period so far', examples: [420] }),
          limit: z
            .int()
            .nullable()
            .meta({ description: 'The number of calls that the plan includes; null for no limit', examples: [1000] }),
          remaining: z
            .int()
            .nullable()
            .meta({ description: 'The number of remaining calls; null for no limit', examples: [580] }),
          percent: z
            .number()
            .nullable()
            .meta({ description: 'The percentage of the limit that is used', examples: [42] }),
          projected: z
            .int()
            .meta({ description: 'The projected number of calls in the whole period', examples: [930] }),
        })
        .describe('The usage of API calls in the period'),
      series: z
        .array(
          z.object({
            date: z.iso.date().meta({ description: 'The day (UTC)', examples: ['2026-03-02'] }),
            calls: z.int().meta({ description: 'The number of calls on that day', examples: [37] }),
          }),
        )
        .describe('The number of calls per day'),
    }),
    message: 'Subscription usage retrieved',
  },
  cancelSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/:id/cancel',
    permission: 'billing:manage',
    summary: 'Cancel a subscription',
    description: 'The subscription ends at the end of the period, or immediately with `atPeriodEnd: false`.',
    params: withId,
    body: z.object({
      atPeriodEnd: z
        .boolean()
        .describe('Whether the subscription ends at the end of the period; false ends it immediately')
        .default(true),
      reason: text(500)
        .nullish()
        .meta({ description: 'The reason for the cancellation', examples: ['The project has ended'] }),
    }),
    example: { cancelAtPeriodEnd: true, cancelReason: 'The project has ended' },
    reply: Subscription,
    message: 'Subscription canceled',
    emits: [subscriptionUpdated, subscriptionCanceled],
    errors: {
      already_canceled: [409, 'The subscription is already canceled, or its cancellation is already scheduled'],
    },
  },
});
