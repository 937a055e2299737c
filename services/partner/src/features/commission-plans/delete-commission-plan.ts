import { commissionPlanDeleted, type commissionPlans } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asCommissionPlan } from './plan.ts';

export const deleteCommissionPlan: Handler<typeof commissionPlans.deleteCommissionPlan> = async ({
  params,
  tx,
  emit,
  ifMatch,
}) => {
  // A whole lock, so that no sale is recorded by the plan meanwhile.
  const row = await tx.commissionPlan.lockFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  ifMatch(row);
  const planId = row.id;
  const isUsed =
    (await tx.partner.findFirst({ where: { planId }, select: { id: true } })) ??
    (await tx.commission.findFirst({ where: { planId }, select: { id: true } }));
  if (isUsed) throw fail('plan_used');
  await tx.commissionPlan.deleteMany({ where: { id: planId } });
  const record = asCommissionPlan(row);
  emit(commissionPlanDeleted, { data: { commissionPlanId: planId }, record });
  return record;
};
