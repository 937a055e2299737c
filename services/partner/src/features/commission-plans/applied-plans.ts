import type { Tx } from '../../handler.ts';
import { asPlan, type Plan } from './plan.ts';

/** A plan, and whose it is. */
export interface AppliedPlan {
  plan: Plan;
  source: 'partner' | 'program';
}

/**
 * Finds the plan of each partner for a trigger: the active plan of the partner with this trigger, else the default plan of
 * the program. The plans cannot be deleted until the transaction ends.
 * @param planIds the plans of the partners; null for partners without one
 */
export async function readAppliedPlans(
  tx: Tx,
  trigger: Plan['trigger'],
  planIds: readonly (number | null)[],
): Promise<(planId: number | null) => AppliedPlan | undefined> {
  const ids = [...new Set(planIds.flatMap((id) => id ?? []))];
  const locked = await tx.sql<{ id: number }>`
    SELECT id FROM commission_plan WHERE trigger = ${trigger} AND status = 'active'
      AND (is_default OR id = ANY(${ids}::bigint[])) ORDER BY id FOR KEY SHARE`;
  const rows = await tx.commissionPlan.findMany({ where: { id: { in: locked.map(({ id }) => id) } } });
  const plans = new Map(rows.map((row) => [row.id, asPlan(row)]));
  const program = rows.find(({ isDefault }) => isDefault);
  return (planId) => {
    const own = planId === null ? undefined : plans.get(planId);
    if (own) return { plan: own, source: 'partner' };
    return program && { plan: asPlan(program), source: 'program' };
  };
}
