import type { Caller } from '@tandem/caller';
import { ServiceError } from '@tandem/client';
import { unknownId } from '@tandem/contract';
import type { Lead, leadStatuses } from '@tandem/crm-contract';
import { fail, failField } from '@tandem/service';
import type { z } from 'zod';
import type { Lead as LeadRow } from '../../generated/client.ts';
import type { Peers, Tx } from '../../handler.ts';

export type LeadRecord = z.output<typeof Lead>;
export type LeadStatus = (typeof leadStatuses)[number];

const transitions: Record<LeadStatus, readonly LeadStatus[]> = {
  new: ['contacted', 'qualified', 'unqualified'],
  contacted: ['qualified', 'unqualified'],
  qualified: ['contacted', 'unqualified'],
  unqualified: ['contacted'],
};

/** A row as the contract shows it. */
export function asLead(row: LeadRow): LeadRecord {
  return { ...(row as unknown as LeadRecord), allowedTransitions: [...transitions[row.status as LeadStatus]] };
}

/** Refuses a move between statuses that the state table does not have. */
export function checkTransition(from: LeadStatus, to: LeadStatus): void {
  if (transitions[from].includes(to)) return;
  throw fail('transition_refused', [
    { field: 'status', message: `From ${from} a lead can move to ${transitions[from].join(', ')}` },
  ]);
}

/** The lead under lock, so that what is decided about it still holds when it is written. */
export async function lockLead(tx: Tx, id: number, state: 'present' | 'deleted' = 'present'): Promise<LeadRecord> {
  await tx.sql`SELECT id FROM lead WHERE id = ${id} FOR UPDATE`;
  const row = await tx.lead.findFirst({ where: { id } });
  if (!row || (state === 'present' && row.deletedAt)) throw fail('not_found');
  if (state === 'deleted' && !row.deletedAt) throw fail('not_deleted');
  return asLead(row);
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

/** Refuses an assignee who is not an active user of the caller's tenant. */
export async function checkAssignee(
  { identity }: Peers,
  assignedTo: number | null | undefined,
  caller: Caller,
): Promise<void> {
  if (assignedTo === null || assignedTo === undefined) return;
  const { type, permissions, ...as } = caller;
  const user = await identity.findUser({ params: { id: assignedTo }, as }).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 404) return undefined;
    throw fail('unavailable');
  });
  if (!user) throw failField('assignedTo', unknownId('user'));
  if (user.status !== 'active') throw failField('assignedTo', 'The user is not active');
}
