import { event, id, listQuery, operations, PlanCode, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { InstalledAddon } from './addons.ts';

const statuses = ['trialing', 'active', 'past_due', 'canceled'] as const;
export const SubscriptionStatus = z
  .enum(statuses, { error: `Must be one of ${statuses.join(', ')}` })
  .describe('How far the subscription has come');

export const Subscription = z.object({
  id: id('subscription'),
  tenantId: id('tenant'),
  planCode: PlanCode.meta({ examples: ['pro'] }),
  status: SubscriptionStatus.meta({ examples: ['active'] }),
  allowedTransitions: z
    .array(SubscriptionStatus)
    .meta({ description: 'The statuses that this subscription can change to now', examples: [['canceled']] }),
  currentPeriodStart: timestamp().meta({
    description:
      'The start of the period: periods are calendar months in UTC; for a canceled subscription it is the last one',
    examples: ['2026-03-01T00:00:00.000Z'],
  }),
  currentPeriodEnd: timestamp().meta({ description: 'The end of the period', examples: ['2026-04-01T00:00:00.000Z'] }),
  cancelAtPeriodEnd: z
    .boolean()
    .meta({ description: 'Whether the subscription ends with its period', examples: [false] }),
  canceledAt: timestamp()
    .nullable()
    .meta({ description: 'When the subscription was canceled', examples: [null] }),
  cancelReason: text(500)
    .nullable()
    .meta({ description: 'Why it was canceled', examples: [null] }),
  addons: z.array(InstalledAddon).describe('The addons that are installed'),
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
    description: 'Every tenant has one subscription from the start.',
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
      'With an API key, `apiCalls.used` equals the X-API-Usage-Current header of the same answer. `series` lags by some seconds.',
    params: withId,
    reply: z.object({
      period: z
        .object({
          start: timestamp().meta({ description: 'The first moment', examples: ['2026-03-01T00:00:00.000Z'] }),
          end: timestamp().meta({
            description: 'The start of the next period',
            examples: ['2026-04-01T00:00:00.000Z'],
          }),
        })
        .describe('The current period'),
      apiCalls: z
        .object({
          used: z.int().meta({ description: 'The calls so far in the period', examples: [420] }),
          limit: z
            .int()
            .nullable()
            .meta({ description: 'The calls that the plan includes; null for no limit', examples: [1000] }),
          remaining: z
            .int()
            .nullable()
            .meta({ description: 'The calls left; null for no limit', examples: [580] }),
          percent: z
            .number()
            .nullable()
            .meta({ description: 'The part that is used, in percent', examples: [42] }),
          projected: z
            .int()
            .meta({ description: 'The calls of the whole period if they continue at the same rate', examples: [930] }),
        })
        .describe('The calls of the API'),
      series: z
        .array(
          z.object({
            date: z.iso.date().meta({ description: 'The day (UTC)', examples: ['2026-03-02'] }),
            calls: z.int().meta({ description: 'The calls of the day', examples: [37] }),
          }),
        )
        .describe('The calls by day'),
    }),
    message: 'Subscription usage retrieved',
  },
  cancelSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/:id/cancel',
    permission: 'billing:manage',
    summary: 'Cancel a subscription',
    description: 'The subscription ends with its period, or at once with `atPeriodEnd: false`.',
    params: withId,
    body: z.object({
      atPeriodEnd: z.boolean().describe('Whether it ends with its period, or at once').default(true),
      reason: text(500)
        .nullish()
        .meta({ description: 'Why you cancel', examples: ['The project is over'] }),
    }),
    example: { cancelAtPeriodEnd: true, cancelReason: 'The project is over' },
    reply: Subscription,
    message: 'Subscription canceled',
    emits: [subscriptionUpdated, subscriptionCanceled],
    errors: { already_canceled: [409, 'The subscription is canceled already, or will be with the end of its period'] },
  },
});
