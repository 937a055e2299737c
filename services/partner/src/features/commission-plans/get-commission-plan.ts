import type { commissionPlans } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asCommissionPlan, readTerms } from './plan.ts';

export const getCommissionPlan: Handler<typeof commissionPlans.getCommissionPlan> = async ({ params, query, tx }) => {
  const row = await tx.commissionPlan.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  const { planVersion = row.planVersion } = query;
  if (planVersion === row.planVersion) return asCommissionPlan(row);
  const version = await tx.commissionPlanVersion.findFirst({ where: { planId: row.id, planVersion } });
  if (!version) throw fail('not_found');
  return asCommissionPlan(row, { planVersion, terms: readTerms(version.terms) });
};
