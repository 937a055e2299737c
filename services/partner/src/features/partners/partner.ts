import { unknownId } from '@tandem/contract';
import { Partner, partnerStates } from '@tandem/partner-contract';
import { fail, failField, storedObject, transitionError } from '@tandem/service';
import type { z } from 'zod';
import type { Partner as PartnerRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type PartnerRecord = z.output<typeof Partner>;

const columns = Partner.pick({ tier: true, status: true }).extend({ customFields: storedObject });

/** Converts a row to the contract's `Partner`. */
export function asPartner(row: PartnerRow): PartnerRecord {
  const checked = columns.parse(row);
  return { ...row, ...checked, allowedTransitions: partnerStates.next(checked.status) };
}

/** The name that lists show: the company, or the person without one. */
export function nameOf({
  company,
  firstName,
  lastName,
}: Pick<PartnerRow, 'company' | 'firstName' | 'lastName'>): string {
  return company ?? `${firstName} ${lastName}`;
}

/** Loads a partner with a row lock. */
export async function lockPartner(tx: Tx, id: number): Promise<PartnerRecord> {
  const row = await tx.partner.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return asPartner(row);
}

/** Loads a partner; 404 if there is none. */
export async function readPartner(tx: Tx, id: number): Promise<PartnerRecord> {
  const row = await tx.partner.findFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return asPartner(row);
}

/** The 409 error for a status change that the state table does not contain. */
export function wrongTransition({ status }: PartnerRecord) {
  return fail('transition_refused', [transitionError(status, partnerStates.next(status))]);
}

/** Fails unless partners can have the plan: an active one. */
export async function checkPlan(tx: Tx, planId: number | null | undefined): Promise<void> {
  if (!planId) return;
  const [plan] = await tx.sql<{
    status: string;
  }>`SELECT status FROM commission_plan WHERE id = ${planId} FOR KEY SHARE`;
  if (!plan) throw failField('planId', unknownId('commission_plan'));
  if (plan.status !== 'active') throw failField('planId', 'The plan is archived; send the id of an active plan');
}
