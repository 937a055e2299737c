import type { Plan } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import { type notificationCreated, Subscription } from '@tandem/identity-contract';
import type { Schedule } from '@tandem/jobs';
import { fail, failField, transitionError } from '@tandem/service';
import { dayOf } from '@tandem/time-zones';
import type { z } from 'zod';
import type { Subscription as SubscriptionRow, Tenant as TenantRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { notifyBilling } from './billing-people.ts';
import { endNow } from './end-now.ts';
import { endSubscriptionJob } from './end-subscription.job.ts';
import { setPlan } from './set-plan.ts';
import { type Inside, nothingScheduled, periodOf, planOf, writeSubscription } from './subscription.ts';

export type Status = 'trialing' | 'active' | 'past_due' | 'canceled';

interface StatusChange {
  status: Status;
  /** The plan of a trial. */
  plan?: Plan | null | undefined;
  /** When a trial ends, or an unpaid subscription does. */
  deadline: Date;
}

/**
 * Sets the status of a locked subscription that depends on trials and payments. The caller invalidates the credentials of the
 * tenant after the commit.
 * @throws ApiError 409 if the subscription cannot change to the status, 422 if a trial has no plan
 */
export async function setStatus(
  inside: Inside & { emit: Emit<typeof notificationCreated>; schedule: Schedule },
  { tenant, before }: { tenant: TenantRow; before: SubscriptionRow },
  { status, plan, deadline }: StatusChange,
): Promise<z.output<typeof Subscription>> {
  const allowed = statusesAfter(before);
  if (!allowed.includes(status)) throw fail('transition_refused', [transitionError(before.status, allowed)]);
  if (status === 'canceled')
    return endNow(inside, { tenant, before, at: new Date(), cancelReason: before.cancelReason });
  const { endsAt, ...scheduled } = scheduledEnd(before, { status, deadline });
  if (endsAt) await inside.schedule(endSubscriptionJob, [{ subscriptionId: before.id, endsAt }], endsAt);
  const change = { ...nothingScheduled, ...scheduled, endsAt, status };
  if (status === 'past_due') {
    await warnOfEnd(inside, before, dayOf(endsAt ?? deadline, tenant.timezone));
    return writeSubscription(inside, before, { ...change, paymentDue: true });
  }
  const planCode = status === 'trialing' ? planOfTrial(plan) : Subscription.shape.planCode.parse(before.planCode);
  await setPlan(inside, tenant, planCode);
  return writeSubscription(inside, before, { ...change, planCode, canceledAt: null, paymentDue: false });
}

/**
 * The statuses that `setStatus` can set. A trial begins on Free, and a payment is due for a paid plan only. Both ends can be
 * moved.
 */
export function statusesAfter(before: SubscriptionRow): Status[] {
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
