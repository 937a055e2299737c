import type { Tx } from '../../handler.ts';
import { columnsOf, type Terms, withoutLimits } from './plan.ts';
import { storeVersion } from './store-plan.ts';

const terms: Terms = {
  ...withoutLimits,
  type: 'percent',
  tierRates: { bronze: 5, silver: 7.5, gold: 10, platinum: 12.5 },
  holdDays: 0,
};

/** Creates the first plan of a tenant: a percentage of each won deal by the tier of the partner. */
export async function makeDefaultPlan(tx: Tx): Promise<void> {
  const { id, planVersion } = await tx.commissionPlan.create({
    data: { name: 'Default', trigger: 'opportunity.won', isDefault: true, ...columnsOf(terms) },
  });
  await storeVersion(tx, id, { planVersion, terms, createdBy: null });
}
