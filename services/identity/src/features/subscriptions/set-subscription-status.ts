import type { Plan } from '@tandem/contract';
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
import { lockSubscription, nothingScheduled, periodOf, planOf, writeSubscription } from './subscription.ts';

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
      const inside = { tx, emit };
      if (status === 'canceled')
        return endNow(inside, { tenant, before, at: new Date(), cancelReason: before.cancelReason });
      const deadline = new Date(Date.now() + body.days * dayMs);
      const { endsAt, ...scheduled } = scheduledEnd(before, { status, deadline });
      if (endsAt) await schedule(endSubscriptionJob, [{ subscriptionId: before.id, endsAt }], endsAt);
      const change = { ...nothingScheduled, ...scheduled, endsAt, status };
      if (status === 'past_due') {
        await warnOfEnd(inside, before, dayOf(endsAt ?? deadline, tenant.timezone));
        return writeSubscription(inside, before, { ...change, paymentDue: true });
      }
      const planCode =
        status === 'trialing' ? planOfTrial(body.plan) : Subscription.shape.planCode.parse(before.planCode);
      await setPlan(inside, tenant, planCode);
      return writeSubscription(inside, before, { ...change, planCode, canceledAt: null, paymentDue: false });
    });
    afterCommit(() => tools.invalidateCredentials({ tenantId }));
    return subscription;
  };

function planOfTrial(plan: Plan | null | undefined): Plan {
  if (!plan || plan === 'free' || plan === 'enterprise')
    throw failField('plan', 'Must be starter, pro or team: the plan of the trial');
  return plan;
}

/**
 * When the subscription ends in its new status. A cancellation that the customer has scheduled stays scheduled: payments
 * do not withdraw it, and the time to pay does not extend the last period. Only a trial that begins replaces it.
 */
function scheduledEnd(
  { cancelAtPeriodEnd, cancelReason, status: previous }: SubscriptionRow,
  { status, deadline }: { status: Status; deadline: Date },
) {
  const ownEnd = status === 'active' ? null : deadline;
  if (!cancelAtPeriodEnd || (status === 'trialing' && previous !== 'trialing'))
    return { cancelAtPeriodEnd: false, cancelReason: null, endsAt: ownEnd };
  const periodEnd = periodOf(new Date()).end;
  const endsAt = status === 'trialing' || (ownEnd && ownEnd < periodEnd) ? ownEnd : periodEnd;
  return { cancelAtPeriodEnd, cancelReason, endsAt };
}

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
