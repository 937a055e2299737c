import { actingUserId } from '@tandem/caller';
import { commissionPlanCreated, type commissionPlans } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { checkPipelines, checkTerms } from './check-terms.ts';
import { asCommissionPlan, columnsOf } from './plan.ts';
import { nameTaken, replaceDefault, storeVersion } from './store-plan.ts';

export const createCommissionPlan = ({ peers }: Tools): Handler<typeof commissionPlans.createCommissionPlan> => ({
  async check({ body, caller }) {
    const { name, trigger, isDefault, ...terms } = body;
    checkTerms(trigger, terms);
    await checkPipelines(peers, caller, terms.pipelineRates);
  },
  async run({ body, caller, tx, emit }) {
    const { name, trigger, isDefault, ...terms } = body;
    const createdBy = actingUserId(caller) ?? null;
    if (isDefault) await replaceDefault({ tx, emit }, trigger);
    const row = await tx.commissionPlan
      .create({ data: { name, trigger, isDefault, createdBy, ...columnsOf(terms) } })
      .catch(nameTaken);
    await storeVersion(tx, row.id, { planVersion: row.planVersion, terms, createdBy });
    const record = asCommissionPlan(row);
    emit(commissionPlanCreated, { data: { commissionPlanId: row.id }, record });
    return record;
  },
});
