import type { Tools } from '../../handler.ts';
import { approvedLetter, rejectedLetter, reopenedLetter } from '../portal-accounts/decision-letters.ts';
import type { Sender } from '../portal-accounts/letters.ts';
import { type Inside, mailLetter } from '../portal-accounts/portal-mail.ts';
import { withPassword } from '../portal-users/portal-user.ts';
import type { PartnerRecord } from './partner.ts';

const ownersMax = 20;

/**
 * Mails the address of a partner, and its owners with a password, what was decided about the application. The decision does
 * not depend on the mail: beyond the limit of messages of the tenant none is sent.
 */
export async function mailDecision(
  inside: Inside,
  { id: partnerId, email }: PartnerRecord,
  { decision, sender }: { decision: 'approved' | 'rejected' | 'reopened'; sender: Sender },
  { mail, portalLinks: { home } }: Pick<Tools, 'mail' | 'portalLinks'>,
): Promise<void> {
  const owners = await inside.tx.portalUser.findMany({
    where: { partnerId, role: 'owner', ...withPassword },
    select: { email: true },
    orderBy: { id: 'asc' },
    take: ownersMax,
  });
  // The link that reopens an application is for an owner.
  const canReapply = (await inside.tx.portalUser.count({ where: { partnerId, role: 'owner' } })) > 0;
  const addresses = new Set(owners.map((owner) => owner.email));
  const letterTo = (address: string) => {
    if (decision === 'approved') return approvedLetter(sender, { home, hasPassword: addresses.has(address) });
    return decision === 'rejected' ? rejectedLetter(sender, { canReapply }) : reopenedLetter(sender);
  };
  const template = `portal_application_${decision}`;
  for (const to of new Set([email.toLowerCase(), ...addresses]))
    await mailLetter(inside, { to, template, letter: letterTo(to) }, { mail });
}
