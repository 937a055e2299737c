import { ReferralConflict } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { ReferralConflict as ConflictRow, Referral as ReferralRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { ConflictCause } from './last-touch.ts';

type Attempt = Pick<ReferralRow, 'partnerId' | 'code' | 'clickId' | 'source' | 'occurredAt'>;
export type Conflict = ReturnType<typeof conflictOf>;

const columns = ReferralConflict.pick({ source: true, cause: true });

/** Converts a row to the contract's `ReferralConflict`. */
export function asConflict(row: ConflictRow): z.output<typeof ReferralConflict> {
  return { ...row, ...columns.parse(row) };
}

/**
 * The record of an attempt that lost.
 * @param about.externalId that of a referral that goes to another partner: a repeated request must not take it back
 */
export function conflictOf(
  leadId: number,
  { partnerId, code, clickId, source, occurredAt }: Attempt,
  { winner, cause, externalId }: { winner: number; cause: ConflictCause; externalId: string | null },
) {
  return { partnerId, winnerPartnerId: winner, leadId, code, clickId, source, cause, occurredAt, externalId };
}

export async function addConflicts(tx: Tx, data: Conflict[]): Promise<void> {
  if (data.length) await tx.referralConflict.createMany({ data, skipDuplicates: true });
}
