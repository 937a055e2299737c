import type { Emit } from '@tandem/events';
import { type internalAdmin, type notificationCreated, Subscription } from '@tandem/identity-contract';
import { fail, failField, transitionError } from '@tandem/service';
import { dayOf } from '@tandem/time-zones';
import type { Subscription as SubscriptionRow } from '../../generated/client.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { notifyBilling } from './billing-people.ts';
import { endNow } from './end-now.ts';
import { endSubscriptionJob } from './end-subscription.job.ts';
import { setPlan } from './set-plan.ts';
import { lockSubscription, nothingScheduled, planOf, writeSubscription } from './subscription.ts';

type Status = 'trialing' | 'active' | 'past_due' | 'canceled';

const dayMs = 86_400_000;

/** For operators: the statuses that depend on trials and payments, which are handled outside of the platform. */
export const setSubscriptionStatus =
  (tools: Tools): Handler<typeof internalAdmin.setSubscriptionStatus> =>
  async ({ body, inTenant, afterCommit }) => {
    const { tenantId, status } = body;
    const subscription = await inTenant({ tenantId, environment: 'live' }, async ({ tx, emit, schedule }) => {
      const { tenant, before } = await lockSubscription(tx);
      const allowed = allowedByOperators(before);
      if (!allowed.includes(status)) throw fail('transition_refused', [transitionError(before.status, allowed)]);
      const endsAt = new Date(Date.now() + body.days * dayMs);
      const payload = [{ subscriptionId: before.id, endsAt }];
      if (status === 'trialing') {
        const planCode = body.plan;
        if (!planCode || planCode === 'free' || planCode === 'enterprise')
          throw failField('plan', 'Must be starter, pro or team: the plan of the trial');
        await setPlan({ tx, emit }, tenant, planCode);
        await schedule(endSubscriptionJob, payload, endsAt);
        const trial = { ...nothingScheduled, planCode, status, canceledAt: null, endsAt, paymentDue: false };
        return writeSubscription({ tx, emit }, before, trial);
      }
      if (status === 'past_due') {
        await schedule(endSubscriptionJob, payload, endsAt);
        await warnOfEnd({ tx, emit }, before, dayOf(endsAt, tenant.timezone));
        return writeSubscription({ tx, emit }, before, { ...nothingScheduled, status, endsAt, paymentDue: true });
      }
      if (status === 'active') {
        await setPlan({ tx, emit }, tenant, Subscription.shape.planCode.parse(before.planCode));
        const paid = { ...nothingScheduled, status, canceledAt: null, paymentDue: false };
        return writeSubscription({ tx, emit }, before, paid);
      }
      return endNow({ tx, emit }, { tenant, before, at: new Date(), cancelReason: before.cancelReason });
    });
    afterCommit(() => tools.invalidateCredentials({ tenantId }));
    return subscription;
  };

/** A trial begins on Free, and a payment is due for a paid plan only. Both ends can be moved. */
function allowedByOperators(before: SubscriptionRow): Status[] {
  const isFree = planOf(before) === 'free';
  switch (before.status as Status) {
    case 'trialing':
      return ['trialing', 'active', 'canceled'];
    case 'past_due':
      return ['past_due', 'active', 'canceled'];
    case 'canceled':
      return before.paymentDue ? ['trialing', 'active'] : ['trialing'];
    case 'active':
      return isFree ? ['trialing', 'canceled'] : ['past_due', 'canceled'];
  }
}

async function warnOfEnd(
  { tx, emit }: { tx: Tx; emit: Emit<typeof notificationCreated> },
  { id: subscriptionId }: SubscriptionRow,
  lastDay: string,
): Promise<void> {
  await notifyBilling(tx, emit, {
    title: { en: 'A payment is due', de: 'Eine Zahlung ist fällig' },
    body: {
      en: `Without a payment the subscription ends on ${lastDay}, and the plan is Free from then on. All data stays readable.`,
      de: `Ohne Zahlung endet das Abonnement am ${lastDay}; danach gilt der Tarif Free. Alle Daten bleiben lesbar.`,
    },
    data: { subscriptionId },
  });
}
