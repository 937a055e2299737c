import { CommissionPlan, PlanTerms, planStates } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import { z } from 'zod';
import type { CommissionPlan as PlanRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type Terms = z.output<typeof PlanTerms>;

/** A plan with its current terms. */
export interface Plan {
  id: number;
  status: string;
  trigger: string;
  planVersion: number;
  terms: Terms;
}

/** Terms that limit nothing. */
export const withoutLimits: Omit<Terms, 'type' | 'tierRates' | 'holdDays'> = {
  rate: null,
  amount: null,
  currency: null,
  pipelineRates: [],
  levels: [],
  autoApprove: false,
  maxMonths: null,
  cap: null,
  attributionDays: 90,
  activeFrom: null,
  activeTo: null,
};

// Ids are stored as numbers; on the wire they are text.
const StoredTerms = PlanTerms.extend({ pipelineRates: z.array(z.object({ pipelineId: z.int(), rate: z.number() })) });

/** Converts stored terms to those of the contract. */
export const readTerms = (terms: unknown): Terms => StoredTerms.parse(terms);

/** The current terms of a plan. Plans of the release before the versions have them in three columns. */
export function termsOf({ terms, type, tierRates, holdDays }: PlanRow): Terms {
  return readTerms(terms ?? { ...withoutLimits, type, tierRates, holdDays });
}

export const asPlan = (row: PlanRow): Plan => ({ ...row, terms: termsOf(row) });

const columns = CommissionPlan.pick({ status: true, trigger: true });

/** Converts a row to the contract's `CommissionPlan`, with its current terms or those of another version. */
export function asCommissionPlan(
  row: PlanRow,
  version?: { planVersion: number; terms: Terms },
): z.output<typeof CommissionPlan> {
  const checked = columns.parse(row);
  const { planVersion, terms } = version ?? { planVersion: row.planVersion, terms: termsOf(row) };
  return { ...row, ...checked, ...terms, planVersion, allowedTransitions: planStates.next(checked.status) };
}

/** Loads a plan with a row lock. */
export async function lockPlan(tx: Tx, id: number): Promise<PlanRow> {
  const row = await tx.commissionPlan.lockFirst({ where: { id }, sharesKey: true });
  if (!row) throw fail('not_found');
  return row;
}

/** Loads a plan; undefined if there is none. */
export async function readPlanById(tx: Tx, id: number): Promise<Plan | undefined> {
  const row = await tx.commissionPlan.findFirst({ where: { id } });
  return row ? asPlan(row) : undefined;
}

/** The terms that a plan had in a version; undefined if there is no such plan. */
export async function readTermsOfVersion(
  tx: Tx,
  planId: number,
  planVersion: number | null,
): Promise<Terms | undefined> {
  const where = { planId, planVersion: planVersion ?? -1 };
  const version = await tx.commissionPlanVersion.findFirst({ where, select: { terms: true } });
  return version ? readTerms(version.terms) : (await readPlanById(tx, planId))?.terms;
}

/** The columns of terms, also those that the release before the versions reads. */
export function columnsOf(terms: Terms) {
  const { type, tierRates, rate, holdDays } = terms;
  const rates = Object.fromEntries(tiers.map((tier) => [tier, tierRates[tier] ?? rate ?? 0]));
  return { terms: JSON.parse(JSON.stringify(terms)), type, tierRates: rates, holdDays };
}

const tiers = ['bronze', 'silver', 'gold', 'platinum'] as const;
