import type { billingEvents, internalAdmin, subscriptions, usage } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { cancelSubscription } from './cancel-subscription.ts';
import { changeSubscription } from './change-subscription.ts';
import { deleteSubscription } from './delete-subscription.ts';
import { getSubscription } from './get-subscription.ts';
import { getSubscriptionUsage } from './get-subscription-usage.ts';
import { listSubscriptions } from './list-subscriptions.ts';
import { receiveBillingEvent } from './receive-billing-event.ts';
import { resumeSubscription } from './resume-subscription.ts';
import { setSubscriptionStatus } from './set-subscription-status.ts';

export const subscriptionHandlers = (tools: Tools) =>
  ({
    listSubscriptions,
    getSubscription,
    getSubscriptionUsage,
    cancelSubscription: cancelSubscription(tools),
    deleteSubscription: deleteSubscription(tools),
    changeSubscription: changeSubscription(tools),
    resumeSubscription: resumeSubscription(tools),
    setSubscriptionStatus: setSubscriptionStatus(tools),
    receiveBillingEvent: receiveBillingEvent(tools),
  }) satisfies Handlers<
    typeof subscriptions & typeof usage & typeof billingEvents & Pick<typeof internalAdmin, 'setSubscriptionStatus'>,
    Tx
  >;
