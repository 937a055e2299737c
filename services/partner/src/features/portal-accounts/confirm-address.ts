import type { Emit } from '@tandem/events';
import { partnerUpdated } from '@tandem/partner-contract';
import type { PortalUser } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { asPartner } from '../partners/partner.ts';

/** Notes that a portal user has used a link of a message: the address of the partner is confirmed if it is that of the user. */
export async function confirmAddress(
  { tx, emit }: { tx: Tx; emit: Emit<typeof partnerUpdated> },
  { partnerId, email }: Pick<PortalUser, 'partnerId' | 'email'>,
): Promise<void> {
  const emailConfirmedAt = new Date();
  const [row] = await tx.partner.updateManyAndReturn({
    where: { id: partnerId, emailKey: email, emailConfirmedAt: null },
    data: { emailConfirmedAt, version: { increment: 1 } },
  });
  if (!row) return;
  emit(partnerUpdated, {
    data: { partnerId },
    record: asPartner(row),
    changes: { emailConfirmedAt: { from: null, to: emailConfirmedAt } },
  });
}
