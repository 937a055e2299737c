import { type Plan, plans } from '@tandem/contract';
import type { subscriptions } from '@tandem/identity-contract';
import { fail, failField } from '@tandem/service';
import type { Subscription as SubscriptionRow, Tenant as TenantRow } from '../../generated/client.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { readMonth } from '../access/usage.ts';
import { addonsAbove } from '../addons/installation.ts';
import { explainChange } from './arithmetic.ts';
import { changePlanJob } from './change-plan.job.ts';
import { setPlan } from './set-plan.ts';
import { lockSubscription, nothingScheduled, periodOf, planOf, writeSubscription } from './subscription.ts';

export const changeSubscription =
  (tools: Tools): Handler<typeof subscriptions.changeSubscription> =>
  async ({ params, body, caller, tx, emit, schedule, ifMatch, afterCommit }) => {
    const { tenant, before } = await lockSubscription(tx, params.id);
    ifMatch(before);
    const { planCode: to, when } = body;
    checkPlan(before, { to, when });
    const now = new Date();
    await checkFits(tx, tenant, { to, when, now, counted: caller.usage ?? 0 });
    const from = planOf(before);
    const change = explainChange({ from, to, now, when, isPaid: before.status === 'active' });
    if (when === 'period_end') {
      const at = change.effectiveAt;
      await schedule(changePlanJob, [{ subscriptionId: before.id, planCode: to, at }], at);
      const pending = { ...nothingScheduled, pendingPlanCode: to, pendingChangeAt: at };
      return { ...(await writeSubscription({ tx, emit }, before, pending)), change };
    }
    await setPlan({ tx, emit }, tenant, to);
    afterCommit(() => tools.invalidateCredentials({ tenantId: tenant.tenantId }));
    const active = { ...nothingScheduled, planCode: to, status: 'active', canceledAt: null };
    return { ...(await writeSubscription({ tx, emit }, before, active)), change };
  };

function checkPlan(before: SubscriptionRow, { to, when }: { to: Plan; when: 'now' | 'period_end' }): void {
  const { status } = before;
  const from = planOf(before);
  for (const plan of [to, from])
    if (plan === 'enterprise')
      throw fail('plan_by_agreement', [
        { field: 'planCode', message: 'The plan Enterprise is by agreement: contact sales to change to it or from it' },
      ]);
  if (before.paymentDue) throw fail('payment_due');
  if (status !== 'active' && when === 'period_end')
    throw failField('when', `Must be now: the subscription is ${status}, so it has no period that ends with a change`);
  if (status === 'active' && to === from)
    throw fail('same_plan', [{ field: 'planCode', message: `The subscription is on the plan ${plans[to].name}` }]);
}

/** Rejects a plan below what is used, and names each excess. */
async function checkFits(
  tx: Tx,
  tenant: TenantRow,
  { to, when, now, counted }: { to: Plan; when: 'now' | 'period_end'; now: Date; counted: number },
): Promise<void> {
  const { name, monthlyCalls } = plans[to];
  const errors = (await addonsAbove(tx, to)).map((addon) => ({
    field: 'planCode',
    message: `The addon ${addon.name} requires the plan ${plans[addon.requiresPlan].name} or higher: uninstall it first`,
  }));
  // The next month begins with no calls.
  if (when === 'now' && monthlyCalls !== null) {
    const month = periodOf(now).start.toISOString().slice(0, 7);
    const used = Math.max(counted, (await readMonth(tx, tenant.tenantId, month)).calls);
    if (used > monthlyCalls)
      errors.push({
        field: 'planCode',
        message: `${used} calls were made this month and the plan ${name} includes ${monthlyCalls}: change at the end of the period`,
      });
  }
  if (errors.length) throw fail('validation_failed', errors);
}
