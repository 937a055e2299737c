import type { internalAdmin } from '@tandem/identity-contract';
import { failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { setPlan } from '../subscriptions/set-plan.ts';
import { lockSubscription, nothingScheduled, writeSubscription } from '../subscriptions/subscription.ts';

export const setTenantPlan =
  (tools: Tools): Handler<typeof internalAdmin.setTenantPlan> =>
  async ({ body, inTenant, afterCommit }) => {
    const { tenantId, plan } = body;
    const customLimits = {
      monthlyCalls: body.monthlyCalls ?? null,
      ratePerMinute: body.ratePerMinute ?? null,
      burst: body.burst ?? null,
    };
    const custom = Object.entries(customLimits).find(([, limit]) => limit !== null);
    if (custom && plan !== 'enterprise')
      throw failField(custom[0], `The plan ${plan} has fixed limits; only enterprise has custom limits`);

    const limits = await inTenant({ tenantId, environment: 'live' }, async ({ tx, emit }) => {
      const { tenant, before } = await lockSubscription(tx);
      const limits = await setPlan({ tx, emit }, tenant, plan, customLimits);
      const continues = before.status === 'active' || (before.status === 'past_due' && plan !== 'free');
      if (!continues) {
        // Operators settle what was due before they restart a subscription.
        const restarted = {
          ...nothingScheduled,
          planCode: plan,
          status: 'active',
          canceledAt: null,
          paymentDue: false,
        };
        await writeSubscription({ tx, emit }, before, restarted);
      } else if (before.planCode !== plan || before.pendingPlanCode !== null)
        await writeSubscription({ tx, emit }, before, { planCode: plan, pendingPlanCode: null, pendingChangeAt: null });
      return limits;
    });
    afterCommit(() => tools.invalidateCredentials({ tenantId }));
    return limits;
  };
