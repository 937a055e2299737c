import type { commissionPlans } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { archiveCommissionPlan } from './archive-commission-plan.ts';
import { createCommissionPlan } from './create-commission-plan.ts';
import { deleteCommissionPlan } from './delete-commission-plan.ts';
import { getCommissionPlan } from './get-commission-plan.ts';
import { listCommissionPlans } from './list-commission-plans.ts';
import { updateCommissionPlan } from './update-commission-plan.ts';

export const commissionPlanHandlers = (tools: Tools) =>
  ({
    createCommissionPlan: createCommissionPlan(tools),
    listCommissionPlans,
    getCommissionPlan,
    updateCommissionPlan: updateCommissionPlan(tools),
    archiveCommissionPlan,
    deleteCommissionPlan,
  }) satisfies Handlers<typeof commissionPlans, Tx>;
