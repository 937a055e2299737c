import type { Caller } from '@tandem/caller';
import { mailboxOf } from '@tandem/contract';
import { asService, currentLeads, fail } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { holds } from '../referrals/last-touch.ts';
import type { DealRecord } from './deal-registration.ts';

/**
 * Fails if another partner had the lead of the contact before the registration was submitted, because a deal cannot earn for
 * two partners.
 * @throws 409 for a manager, who can reassign the referral
 */
export async function checkContact(
  { tx, peers, caller }: { tx: Tx; peers: Pick<Peers, 'crm'>; caller: Caller },
  { contact, partnerId, submittedAt }: DealRecord,
): Promise<void> {
  const ids: number[] = [];
  // With a tag the address is another one, but not the person.
  for (const email of new Set([contact.email, mailboxOf(contact.email)]))
    for (const { id } of await peers.crm.findLeadsByEmail({ body: { email }, as: asService(caller) })) ids.push(id);
  const current = await currentLeads(tx, ids);
  const other = await tx.referral.findFirst({
    where: {
      leadId: { in: ids.map((id) => current.get(id) ?? id) },
      partnerId: { not: partnerId },
      // A conversion takes over what others got after the submission.
      ...(submittedAt && { occurredAt: { lt: submittedAt } }),
      ...holds,
    },
    select: { id: true },
  });
  if (other) throw contactReferred();
}

/** The 409 error while another partner has the lead of the contact. */
export function contactReferred() {
  const message = 'Another partner has the lead with this address. Reassign its referral, or end the registration';
  return fail('already_referred', [{ field: 'contact.email', message }]);
}
