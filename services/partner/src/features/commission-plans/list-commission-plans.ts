import type { commissionPlans } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { asCommissionPlan } from './plan.ts';

export const listCommissionPlans: Handler<typeof commissionPlans.listCommissionPlans> = async ({ query, tx, list }) => {
  const { status, trigger } = query;
  const page = await list({
    model: tx.commissionPlan,
    where: { ...(status && { status }), ...(trigger && { trigger }) },
    searchIn: ['name'],
  });
  return { ...page, items: page.items.map((row) => asCommissionPlan(row)) };
};
