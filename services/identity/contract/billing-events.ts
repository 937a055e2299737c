import { operations } from '@tandem/contract';
import { z } from 'zod';
import { notificationCreated } from './notification.ts';
import { subscriptionCanceled, subscriptionUpdated } from './subscriptions.ts';
import { tenantPlanChanged } from './tenants.ts';

/** Maximum size of an event of the payment provider in bytes: an invoice can have many lines. */
export const billingEventMax = 1_048_576;

/** Events of the payment provider of the platform, which charges the tenants. */
export const billingEvents = operations({
  receiveBillingEvent: {
    method: 'POST',
    path: '/v1/public/billing/stripe/events',
    audience: 'public',
    fromSharedAddresses: true,
    // A suspended tenant can pay.
    whileSuspended: true,
    summary: 'Receive an event of the payment provider',
    description:
      'The webhook that the operator enters at Stripe. `customer.subscription.created`, `customer.subscription.updated`, `customer.subscription.deleted`, `invoice.paid` and `invoice.payment_failed` change the subscription of the tenant that `metadata.tenantId` of the subscription at Stripe names. Others are acknowledged. A repeated event has its effect once, and an event that is older than the last one has none. Without the secret in the settings this is not found.',
    rawBody: {
      headers: {
        'Stripe-Signature':
          '`t=`, the time in seconds since 1970, at most 5 minutes ago, and `v1=`, the HMAC-SHA256 of `<t>.<body>` in hexadecimal digits; there may be several of them',
      },
    },
    bodyMax: billingEventMax,
    reply: z.object({
      applied: z.boolean().meta({ description: 'Whether the event changed a subscription', examples: [true] }),
    }),
    message: 'Event received',
    emits: [subscriptionUpdated, subscriptionCanceled, tenantPlanChanged, notificationCreated],
    errors: { invalid_signature: [401, 'The signature does not match the body, or is too old'] },
  },
});
