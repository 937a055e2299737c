import {
  currency,
  event,
  id,
  listQuery,
  operations,
  PlanCode,
  page,
  stateTable,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import { InstalledAddon } from './addon.ts';
import { tenantPlanChanged } from './tenants.ts';

const statuses = ['trialing', 'active', 'past_due', 'canceled'] as const;
export const SubscriptionStatus = z.enum(statuses).describe('The status of the subscription');

export const subscriptionStates = stateTable<(typeof statuses)[number]>('Subscription', {
  created: { active: 'createTenant' },
  changes: {
    trialing: { active: 'changeSubscription', canceled: 'cancelSubscription' },
    active: { canceled: 'cancelSubscription' },
    past_due: { canceled: 'cancelSubscription' },
    canceled: { active: 'resumeSubscription' },
  },
  automatic: {
    active: { trialing: 'setSubscriptionStatus', past_due: 'setSubscriptionStatus' },
    past_due: { active: 'setSubscriptionStatus' },
  },
});

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
  endsAt: timestamp()
    .nullable()
    .meta({
      description: 'When the subscription ends: after a scheduled cancellation, a trial, or the time to pay; else null',
      examples: [null],
    }),
  pendingPlanCode: PlanCode.nullable().meta({
    description: 'The plan from `pendingChangeAt` on; null if no change is scheduled',
    examples: [null],
  }),
  pendingChangeAt: timestamp()
    .nullable()
    .meta({ description: 'When the plan changes; null if no change is scheduled', examples: [null] }),
  addons: z.array(InstalledAddon).describe('The installed addons'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const money = (description: string, example: number) => z.number().meta({ description, examples: [example] });

/** The cost of a change of the plan. */
export const PlanChange = z
  .object({
    from: PlanCode.describe('The plan before the change'),
    to: PlanCode.describe('The plan after the change'),
    effectiveAt: timestamp().describe('When the change takes effect'),
    periodStart: timestamp().describe('The start of the period'),
    periodEnd: timestamp().describe('The end of the period'),
    daysLeft: z.int().meta({
      description: 'The days of the period that remain after the change, including the day of the change',
      examples: [15],
    }),
    daysInPeriod: z.int().meta({ description: 'The days of the period', examples: [30] }),
    credit: money('The price of the old plan for the remaining days; 0 if that time was not paid', 14.5),
    charge: money('The price of the new plan for the remaining days', 49.5),
    due: money('The charge minus the credit; negative for an amount in your favour', 35),
    currency: currency().meta({ examples: ['USD'] }),
  })
  .describe(
    'The cost of a change by list prices: the monthly price × `daysLeft` / `daysInPeriod`, rounded half up to minor units',
  );

const ChangedSubscription = Subscription.extend({
  change: PlanChange.nullable().describe('The cost of the change; null if the plan does not change'),
});

export const withSubscriptionId = z.object({ id: id('subscription') });
const withId = withSubscriptionId;
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
  description: 'The plan or the status of a subscription changes, or such a change is scheduled or withdrawn',
  action: 'subscription.update',
});
export const subscriptionCanceled = event('subscription.canceled', {
  ...subscriptionEvent,
  example: { subscriptionId: exampleId, planCode: 'pro', status: 'canceled' },
  description: 'A subscription is canceled',
  action: 'subscription.cancel',
});

const byAgreement = {
  plan_by_agreement: [409, 'The plan Enterprise is by agreement; contact sales to change to it or from it'],
} as const;

const paymentDue = { payment_due: [409, 'A payment is due; the plan can change after it'] } as const;

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
  cancelSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/:id/cancel',
    permission: 'billing:manage',
    summary: 'Cancel a subscription',
    description:
      'The subscription ends at the end of the period (a trial at its own end), or immediately with `atPeriodEnd: false`. From then on the tenant is on Free: its data stays readable, and what Free does not include is refused. A scheduled change of the plan is withdrawn.',
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
    emits: [subscriptionUpdated, subscriptionCanceled, tenantPlanChanged],
    errors: {
      already_canceled: [409, 'The subscription is already canceled, or its cancellation is already scheduled'],
    },
  },
  deleteSubscription: {
    method: 'DELETE',
    path: '/v1/subscriptions/:id',
    permission: 'billing:manage',
    summary: 'Cancel a subscription immediately',
    description:
      'Cancels immediately, also when a cancellation is scheduled. The canceled subscription can be resumed.',
    params: withId,
    reply: Subscription,
    message: 'Subscription canceled',
    emits: [subscriptionCanceled, tenantPlanChanged],
    errors: { already_canceled: [409, 'The subscription is already canceled'] },
  },
  changeSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/:id/change',
    permission: 'billing:manage',
    summary: 'Change the plan',
    description:
      'Limits and features change within a second after a change `now`, or at the end of the period. A change replaces a scheduled change, and withdraws a scheduled cancellation. During a trial and after a cancellation, a change `now` makes the subscription active. Refused with 422 if more is used than the new plan allows.',
    params: withId,
    body: z.object({
      planCode: PlanCode,
      when: z
        .enum(['now', 'period_end'], { error: 'Must be now or period_end' })
        .describe('When the change takes effect')
        .default('now'),
    }),
    reply: ChangedSubscription,
    message: 'Subscription changed',
    emits: [subscriptionUpdated, tenantPlanChanged],
    errors: {
      same_plan: [409, 'The subscription is already on this plan; resume it to withdraw a scheduled change'],
      ...paymentDue,
      ...byAgreement,
    },
  },
  resumeSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/:id/resume',
    permission: 'billing:manage',
    summary: 'Resume a subscription',
    description:
      'Withdraws a scheduled cancellation or change. A canceled subscription starts again, on the plan that it had.',
    params: withId,
    reply: ChangedSubscription,
    message: 'Subscription resumed',
    emits: [subscriptionUpdated, tenantPlanChanged],
    errors: {
      nothing_to_resume: [409, 'Nothing is scheduled, and the subscription is not canceled'],
      ...paymentDue,
      ...byAgreement,
    },
  },
});
