import type { Partner, partnerStatuses } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Partner as PartnerRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type PartnerRecord = z.output<typeof Partner>;
type PartnerStatus = (typeof partnerStatuses)[number];

const transitions: Record<PartnerStatus, readonly PartnerStatus[]> = {
  pending: ['approved', 'rejected'],
  approved: ['suspended', 'terminated'],
  suspended: ['approved', 'terminated'],
  rejected: ['pending'],
  terminated: [],
};

/** A row as the contract shows it. */
export function asPartner(row: PartnerRow): PartnerRecord {
  return { ...(row as unknown as PartnerRecord), allowedTransitions: [...transitions[row.status as PartnerStatus]] };
}

/** The partner under lock, so that what is decided about it still holds when it is written. */
export async function lockPartner(tx: Tx, id: number): Promise<PartnerRecord> {
  const row = await tx.partner.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return asPartner(row);
}

/** A partner of the tenant. */
export async function readPartner(tx: Tx, id: number): Promise<PartnerRecord> {
  const row = await tx.partner.findFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return asPartner(row);
}

/** Refuses with 409 a move that the state table does not have. */
export function refuseTransition({ status }: PartnerRecord) {
  const allowed = transitions[status].join(', ') || 'no other status';
  return fail('transition_refused', [{ field: 'status', message: `From ${status} a partner can move to ${allowed}` }]);
}
