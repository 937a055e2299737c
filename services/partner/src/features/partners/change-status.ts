import type { PartnerWithNote, partnerLife, partnerStatuses } from '@tandem/partner-contract';
import { partnerStates } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { asPartner, type PartnerRecord, wrongTransition } from './partner.ts';

interface StatusChange {
  to: (typeof partnerStatuses)[number];
  /** The operation that changes the status: two operations lead to `approved`. */
  by: keyof typeof partnerLife;
  because?: { reason: string; note?: string | null };
  /** The choice for the unpaid commissions of a terminated partner. */
  unpaid?: 'pay' | 'forfeit';
}

/**
 * Changes the status of a locked partner.
 * @throws 409 if the operation does not lead from its status to this one
 */
export async function changeStatus(
  tx: Tx,
  partner: PartnerRecord,
  { to, by, because, unpaid }: StatusChange,
): Promise<{ partner: z.output<typeof PartnerWithNote>; changes: Record<string, { from: unknown; to: unknown }> }> {
  if (partnerStates.changes[partner.status][to] !== by) throw wrongTransition(partner);
  const data = {
    status: to,
    statusReason: because?.reason ?? null,
    statusNote: because?.note ?? null,
    statusChangedAt: new Date(),
    unpaid: unpaid ?? null,
  };
  const [row] = await tx.partner.updateManyAndReturn({
    where: { id: partner.id },
    data: { ...data, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  const { status: from, statusReason } = partner;
  const changes = {
    status: { from, to },
    ...(statusReason !== data.statusReason && { statusReason: { from: statusReason, to: data.statusReason } }),
  };
  return { partner: { ...asPartner(row), statusNote: row.statusNote }, changes };
}
