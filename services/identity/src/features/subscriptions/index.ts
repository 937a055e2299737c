import type { subscriptions } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { cancelSubscription } from './cancel-subscription.ts';
import { getSubscription } from './get-subscription.ts';
import { getSubscriptionUsage } from './get-subscription-usage.ts';
import { listSubscriptions } from './list-subscriptions.ts';

export const subscriptionHandlers = {
  listSubscriptions,
  getSubscription,
  getSubscriptionUsage,
  cancelSubscription,
} satisfies Handlers<typeof subscriptions, Tx>;
