import { actingUserId } from '@tandem/caller';
import { type commissionPlans, commissionPlanUpdated } from '@tandem/partner-contract';
import { diff, fail } from '@tandem/service';
import type { CommissionPlan as PlanRow } from '../../generated/client.ts';
import type { Handler, Tools } from '../../handler.ts';
import { checkPipelines, checkTerms } from './check-terms.ts';
import { asCommissionPlan, columnsOf, lockPlan, termsOf } from './plan.ts';
import { nameTaken, replaceDefault, storeVersion } from './store-plan.ts';

export const updateCommissionPlan = ({ peers }: Tools): Handler<typeof commissionPlans.updateCommissionPlan> => ({
  check: ({ body, caller }) => checkPipelines(peers, caller, body.pipelineRates),
  async run({ params, body, caller, tx, emit, ifMatch }) {
    const row = await lockPlan(tx, params.id);
    ifMatch(row);
    if (row.status !== 'active') throw fail('plan_archived');
    const before = asCommissionPlan(row);
    const { isEmpty, values, audit } = diff(before, body);
    if (isEmpty) return before;
    const { name, isDefault: defaulted, ...changed } = values;
    const terms = { ...termsOf(row), ...changed };
    checkTerms(row.trigger, terms);
    if (defaulted) await replaceDefault({ tx, emit }, row.trigger);
    const isNewVersion = Object.keys(changed).length > 0;
    const planVersion = row.planVersion + (isNewVersion ? 1 : 0);
    const createdBy = actingUserId(caller) ?? null;
    // The release before the versions stored none.
    if (isNewVersion)
      await storeVersion(tx, row.id, { planVersion: row.planVersion, terms: termsOf(row), createdBy: row.createdBy });
    if (isNewVersion) await storeVersion(tx, row.id, { planVersion, terms, createdBy });
    const [updated] = await tx.commissionPlan
      .updateManyAndReturn({
        where: { id: row.id },
        data: {
          ...(name !== undefined && { name }),
          ...(defaulted !== undefined && { isDefault: defaulted }),
          ...(isNewVersion && { planVersion, ...columnsOf(terms) }),
          version: { increment: 1 },
        },
      })
      .catch(nameTaken);
    const record = asCommissionPlan(updated as PlanRow);
    emit(commissionPlanUpdated, { data: { commissionPlanId: row.id }, record, changes: audit });
    return record;
  },
});
