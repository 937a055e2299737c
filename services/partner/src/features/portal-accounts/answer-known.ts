import type { Tools } from '../../handler.ts';
import { addressInUseLetter, againLetter } from './application-letters.ts';
import type { Sender } from './letters.ts';
import { type Inside, mailLetter, mailLink } from './portal-mail.ts';
import { secondsToNextLink } from './portal-token.ts';

/**
 * Answers an application with an address in use by mail, so that only its owner learns that. While the partner is pending or
 * rejected, the owner gets a link that confirms the address, and reopens a rejected application. Nothing of the new application
 * is stored, because anybody can send it.
 */
export async function answerKnown(
  inside: Inside,
  { email, sender }: { email: string; sender: Sender },
  tools: Pick<Tools, 'mail' | 'portalLinks'>,
): Promise<void> {
  const { tx } = inside;
  const user = await tx.portalUser.findFirst({ where: { email } });
  const partner = user && (await tx.partner.findFirst({ where: { id: user.partnerId }, select: { status: true } }));
  const status = partner?.status;
  if (user?.role === 'owner' && (status === 'pending' || status === 'rejected')) {
    await tx.portalUser.lockFirst({ where: { id: user.id }, sharesKey: true });
    if ((await secondsToNextLink(tx, user.id, 'application')) !== undefined) return;
    const letter = status === 'rejected' ? againLetter : undefined;
    await mailLink(inside, user, { purpose: 'application', sender, letter }, tools);
    return;
  }
  const letter = addressInUseLetter(sender, { canSignIn: status === 'approved' });
  await mailLetter(inside, { to: email, template: 'portal_address_in_use', letter }, tools);
}
