import type { Caller } from '@tandem/caller';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asPartner, type PartnerRecord } from '../partners/partner.ts';

/**
 * The partner of a portal session.
 * @throws 401 without one
 */
export async function readOwnPartner(tx: Tx, { partnerId }: Caller): Promise<PartnerRecord> {
  const row = partnerId === undefined ? null : await tx.partner.findFirst({ where: { id: partnerId } });
  if (!row) throw fail('unauthenticated');
  return asPartner(row);
}
