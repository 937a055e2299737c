import { fromMinor, misfit, toMinor } from '@tandem/contract';
import { Opportunity, opportunityStates } from '@tandem/crm-contract';
import { fail, failField, storedObject, transitionError } from '@tandem/service';
import { z } from 'zod';
import type { Opportunity as OpportunityRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type OpportunityRecord = z.output<typeof Opportunity>;
/** An opportunity whose row is locked, with what its record does not show. */
export type LockedOpportunity = OpportunityRecord & Pick<OpportunityRow, 'stageEnteredAt' | 'leadByConversion'>;

const columns = Opportunity.pick({ status: true, forecastCategory: true }).extend({
  customFields: storedObject,
  // The user is stored as a number.
  outcome: Opportunity.shape.outcome.unwrap().extend({ byUserId: z.int().nullable() }).nullable(),
});
const dayMs = 86_400_000;

/** Converts a row to the contract's `Opportunity`. */
export function asOpportunity(row: OpportunityRow): LockedOpportunity {
  const checked = columns.parse(row);
  return {
    ...row,
    ...checked,
    value: fromMinor(row.valueMinor, row.currency),
    allowedTransitions: opportunityStates.next(checked.status),
    daysInStage: Math.max(0, Math.floor((Date.now() - row.stageEnteredAt.getTime()) / dayMs)),
  };
}

/**
 * The columns of an amount.
 * @throws 422 naming `value` when it has more decimals than the currency
 */
export function amountColumns(value: number, currency: string): { value: number; valueMinor: number } {
  const error = misfit(value, currency);
  if (error) throw failField('value', error);
  return { value, valueMinor: toMinor(value, currency) };
}

/** Reads an opportunity that is not deleted. */
export async function readOpportunity(tx: Tx, id: number): Promise<LockedOpportunity> {
  const row = await tx.opportunity.findFirst({ where: { id, deletedAt: null } });
  if (!row) throw fail('not_found');
  return asOpportunity(row);
}

/** Locks the opportunity, so that checks on it still hold when it is written. */
export async function lockOpportunity(
  tx: Tx,
  id: number,
  state: 'present' | 'deleted' = 'present',
): Promise<LockedOpportunity> {
  const row = await tx.opportunity.lockFirst({ where: { id } });
  if (!row || (state === 'present' && row.deletedAt)) throw fail('not_found');
  if (state === 'deleted' && !row.deletedAt) throw fail('not_deleted');
  return asOpportunity(row);
}

/** Writes changes to a locked opportunity as its next version. */
export async function writeOpportunity(
  tx: Tx,
  id: number,
  data: Parameters<Tx['opportunity']['updateManyAndReturn']>[0]['data'],
): Promise<LockedOpportunity> {
  const [row] = await tx.opportunity.updateManyAndReturn({
    where: { id },
    data: { ...data, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  return asOpportunity(row);
}

/**
 * Locks an opportunity that is about to be closed.
 * @throws 409 when it is closed already
 */
export async function lockOpenOpportunity(
  tx: Tx,
  id: number,
  ifMatch: (record: OpportunityRecord) => void,
): Promise<LockedOpportunity> {
  const opportunity = await lockOpportunity(tx, id);
  ifMatch(opportunity);
  const { status } = opportunity;
  if (status !== 'open') throw fail('opportunity_closed', [transitionError(status, opportunityStates.next(status))]);
  return opportunity;
}
