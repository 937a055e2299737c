import { unknownId } from '@tandem/contract';
import { Consent, Lead, leadStates, type leadStatuses } from '@tandem/crm-contract';
import { fail, failField, storedObject, transitionError } from '@tandem/service';
import type { z } from 'zod';
import type { Lead as LeadRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type LeadRecord = z.output<typeof Lead>;
export type LeadStatus = (typeof leadStatuses)[number];

const columns = Lead.pick({ source: true, status: true }).extend({ customFields: storedObject, consent: Consent });

/** Converts a row to the contract's `Lead`. */
export function asLead(row: LeadRow): LeadRecord {
  const checked = columns.parse(row);
  // A converted lead keeps its status; later changes are made to its opportunity.
  const allowedTransitions = row.convertedAt ? [] : leadStates.next(checked.status);
  // A score other than 0 that no rule has calculated was set by a client.
  const scorePinned = row.scorePinned ?? row.score !== 0;
  return { ...row, ...checked, allowedTransitions, scorePinned };
}

/** Fails unless the state table allows the transition; a converted lead allows none. */
export function checkTransition({ status: from, convertedAt, allowedTransitions }: LeadRecord, to: LeadStatus): void {
  if (allowedTransitions.includes(to)) return;
  const code = convertedAt ? 'lead_converted' : 'transition_refused';
  throw fail(code, [transitionError(from, allowedTransitions)]);
}

/** Locks the lead, so that checks on it still hold when it is written. */
export async function lockLead(tx: Tx, id: number, state: 'present' | 'deleted' = 'present'): Promise<LeadRecord> {
  const row = await findLocked(tx, id);
  if (!row || (state === 'present' && row.deletedAt)) throw fail('not_found');
  if (state === 'deleted' && !row.deletedAt) throw fail('not_deleted');
  return asLead(row);
}

/** Locks a lead that a request body refers to; a deleted lead is a field error like an unknown one. */
export async function lockLeadOf(tx: Tx, field: string, id: number): Promise<LeadRecord> {
  const row = await findLocked(tx, id);
  if (!row || row.deletedAt) throw failField(field, unknownId('lead'));
  return asLead(row);
}

/**
 * Holds a lead to which a record is added until the end of the transaction, so that it is not deleted or merged meanwhile.
 * Call it before other locks are taken: a merge locks its leads first.
 */
export async function holdLead(tx: Tx, id: number | null | undefined): Promise<void> {
  if (id === null || id === undefined) return;
  const [lead] = await tx.sql`SELECT id FROM lead WHERE id = ${id} AND deleted_at IS NULL FOR KEY SHARE`;
  if (!lead) throw failField('leadId', unknownId('lead'));
}

async function findLocked(tx: Tx, id: number): Promise<LeadRow | null> {
  return tx.lead.lockFirst({ where: { id } });
}

/** Writes changes to a locked lead as its next version. */
export async function writeLead(
  tx: Tx,
  id: number,
  data: Parameters<Tx['lead']['updateManyAndReturn']>[0]['data'],
): Promise<LeadRecord> {
  const [row] = await tx.lead.updateManyAndReturn({ where: { id }, data: { ...data, version: { increment: 1 } } });
  if (!row) throw fail('not_found');
  return asLead(row);
}
