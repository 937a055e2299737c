import type { subscriptions } from '@tandem/identity-contract';
import { Subscription } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { explainChange } from './arithmetic.ts';
import { setPlan } from './set-plan.ts';
import { lockSubscription, nothingScheduled, writeSubscription } from './subscription.ts';

/** Withdraws what is scheduled, or starts a canceled subscription again on the plan that it had. */
export const resumeSubscription =
  (tools: Tools): Handler<typeof subscriptions.resumeSubscription> =>
  async ({ params, tx, emit, ifMatch, afterCommit }) => {
    const { tenant, before } = await lockSubscription(tx, params.id);
    ifMatch(before);
    if (before.status !== 'canceled') {
      if (!before.cancelAtPeriodEnd && before.pendingPlanCode === null) throw fail('nothing_to_resume');
      // The end of a trial, or of the time to pay, stays.
      const endsAt = before.status === 'active' ? null : before.endsAt;
      const subscription = await writeSubscription({ tx, emit }, before, { ...nothingScheduled, endsAt });
      return { ...subscription, change: null };
    }
    if (before.paymentDue) throw fail('payment_due');
    const to = Subscription.shape.planCode.parse(before.planCode);
    if (to === 'enterprise') throw fail('plan_by_agreement');
    await setPlan({ tx, emit }, tenant, to);
    afterCommit(() => tools.invalidateCredentials({ tenantId: tenant.tenantId }));
    const active = { ...nothingScheduled, status: 'active', canceledAt: null };
    const subscription = await writeSubscription({ tx, emit }, before, active);
    return {
      ...subscription,
      change: explainChange({ from: 'free', to, now: new Date(), when: 'now', isPaid: false }),
    };
  };
