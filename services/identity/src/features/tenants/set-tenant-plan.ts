import { type internalAdmin, subscriptionUpdated, tenantPlanChanged } from '@tandem/identity-contract';
import { fail, failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { changePlan } from '../subscriptions/subscription.ts';
import { asTenant, limitsOf, readTenant } from './tenant.ts';

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
      await tx.sql`SELECT tenant_id FROM tenant FOR UPDATE`;
      const before = await readTenant(tx);
      const [row] = await tx.tenant.updateManyAndReturn({
        where: { tenantId },
        data: { plan, ...customLimits, version: { increment: 1 } },
      });
      if (!row) throw fail('not_found');
      const [previous, current] = [limitsOf(before), limitsOf(row)];
      const fields = (Object.keys(current) as (keyof typeof current)[]).filter(
        (field) => previous[field] !== current[field],
      );
      const changes = Object.fromEntries(fields.map((field) => [field, { from: previous[field], to: current[field] }]));
      emit(tenantPlanChanged, {
        data: { tenantId, from: previous.plan, to: plan },
        record: asTenant(row),
        changes,
      });
      const moved = await changePlan(tx, plan);
      if (moved) {
        const { from, subscription } = moved;
        emit(subscriptionUpdated, {
          data: { subscriptionId: subscription.id, planCode: plan, status: subscription.status },
          record: subscription,
          changes: { planCode: { from, to: plan } },
        });
      }
      return current;
    });
    afterCommit(() => tools.invalidateCredentials({ tenantId }));
    return limits;
  };
