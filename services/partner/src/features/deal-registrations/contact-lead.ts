import type { Caller } from '@tandem/caller';
import { asService, currentLeads, fail } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { holds } from '../referrals/last-touch.ts';
import type { DealRecord } from './deal-registration.ts';

/**
 * Fails if another partner has the lead of the contact, because a deal cannot earn for two partners.
 * @throws 409 for a manager, who can reassign the referral
 */
export async function checkContact(
  { tx, peers, caller }: { tx: Tx; peers: Pick<Peers, 'crm'>; caller: Caller },
  { contact, partnerId }: DealRecord,
): Promise<void> {
  const found = await peers.crm.findLeadsByEmail({ body: { email: contact.email }, as: asService(caller) });
  const ids = found.map(({ id }) => id);
  const current = await currentLeads(tx, ids);
  const other = await tx.referral.findFirst({
    where: {
      leadId: { in: ids.map((id) => current.get(id) ?? id) },
      partnerId: { not: partnerId },
      ...holds,
    },
    select: { id: true },
  });
  if (other) throw contactReferred();
}

/** The 409 error while another partner has the lead of the contact. */
export function contactReferred() {
  const message = 'Another partner has the lead with this address. Reassign its referral, or reject the registration';
  return fail('already_referred', [{ field: 'contact.email', message }]);
}
