import { commissionPlanArchived, type commissionPlans, planStates } from '@tandem/partner-contract';
import { fail, transitionError } from '@tandem/service';
import type { CommissionPlan as PlanRow } from '../../generated/client.ts';
import type { Handler } from '../../handler.ts';
import { asCommissionPlan, lockPlan } from './plan.ts';

export const archiveCommissionPlan: Handler<typeof commissionPlans.archiveCommissionPlan> = async ({
  params,
  tx,
  emit,
  ifMatch,
}) => {
  const row = await lockPlan(tx, params.id);
  ifMatch(row);
  const { status } = asCommissionPlan(row);
  if (!planStates.has(status, 'archived'))
    throw fail('transition_refused', [transitionError(status, planStates.next(status))]);
  const [archived] = await tx.commissionPlan.updateManyAndReturn({
    where: { id: row.id },
    data: { status: 'archived', isDefault: false, version: { increment: 1 } },
  });
  const record = asCommissionPlan(archived as PlanRow);
  emit(commissionPlanArchived, {
    data: { commissionPlanId: row.id },
    record,
    changes: { status: { from: status, to: record.status } },
  });
  return record;
};
