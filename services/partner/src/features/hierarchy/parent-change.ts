import { actingUserId, type Caller } from '@tandem/caller';
import { id } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import { ParentChange, partnerParentChanged } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import { z } from 'zod';
import type { ParentChange as ParentChangeRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { asPartner, type PartnerRecord } from '../partners/partner.ts';

export type ParentChangeRecord = z.output<typeof ParentChange>;

/** The job that applies a scheduled change of a parent. */
export const applyParentChangeJob = {
  name: 'apply-parent-change',
  payload: z.object({ parentChangeId: id('parent_change') }),
};

const columns = ParentChange.pick({ status: true, reason: true });

/** Converts a row to the contract's `ParentChange`. */
export function asParentChange(row: ParentChangeRow): ParentChangeRecord {
  return { ...row, ...columns.parse({ status: row.status, reason: row.reason }) };
}

/** The data of the events of a change. */
export function parentsOf({ partnerId, fromParentId: from, toParentId: to, effectiveAt }: ParentChangeRecord) {
  return { partnerId, from, to, effectiveAt };
}

/** Adds the first parent of a new partner to its history. */
export async function recordFirstParent(tx: Tx, partner: PartnerRecord): Promise<void> {
  const { id: partnerId, parentPartnerId: toParentId, createdAt: effectiveAt, createdBy } = partner;
  if (toParentId === null) return;
  await tx.parentChange.create({ data: { partnerId, fromParentId: null, toParentId, effectiveAt, createdBy } });
}

interface Move {
  to: number | null;
  effectiveAt: Date;
  status: 'applied' | 'scheduled';
}

/** Adds a change of the parent to the history of a partner. */
export async function recordMove(
  { tx, caller }: { tx: Tx; caller: Caller },
  { id: partnerId, parentPartnerId: fromParentId }: PartnerRecord,
  { to: toParentId, effectiveAt, status }: Move,
): Promise<ParentChangeRecord> {
  const createdBy = actingUserId(caller) ?? null;
  const data = { partnerId, fromParentId, toParentId, effectiveAt, status, createdBy };
  return asParentChange(await tx.parentChange.create({ data }));
}

/** Stores the new parent of a locked partner, and announces it. */
export async function moveTo(
  { tx, emit }: { tx: Tx; emit: Emit<typeof partnerParentChanged> },
  change: ParentChangeRecord,
): Promise<PartnerRecord> {
  const { partnerId, fromParentId: from, toParentId: to } = change;
  const [row] = await tx.partner.updateManyAndReturn({
    where: { id: partnerId },
    data: { parentPartnerId: to, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  const partner = asPartner(row);
  emit(partnerParentChanged, {
    data: parentsOf(change),
    record: partner,
    changes: { parentPartnerId: { from, to } },
  });
  return partner;
}
