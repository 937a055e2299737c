import type { Tools } from '../../handler.ts';
import { addressInUseLetter, againLetter, applicationLetter, repeatedLetter } from './application-letters.ts';
import type { Sender } from './letters.ts';
import { type Inside, mailLetter, mailLink } from './portal-mail.ts';
import { secondsToNextLink } from './portal-token.ts';

/** An application with an address in use. */
interface Repeated {
  email: string;
  sender: Sender;
  /** Whether it has the password of the known user. */
  hasPassword: boolean;
  mayMail: boolean;
}

/**
 * Answers an application with an address in use by mail, so that only its owner learns that. While the partner is pending or
 * rejected, the owner gets a link that confirms the address, and reopens a rejected application. Nothing of the new application
 * is stored, because anybody can send it. Somebody else may have sent the first one as well: of two passwords neither signs in.
 */
export async function answerKnown(
  inside: Inside,
  { email, sender, hasPassword, mayMail }: Repeated,
  tools: Pick<Tools, 'mail' | 'portalLinks'>,
): Promise<void> {
  const { tx } = inside;
  const user = await tx.portalUser.findFirst({ where: { email } });
  const partner = user && (await tx.partner.findFirst({ where: { id: user.partnerId }, select: { status: true } }));
  const status = partner?.status;
  const isUndecided = user?.role === 'owner' && (status === 'pending' || status === 'rejected');
  if (!isUndecided) {
    const letter = addressInUseLetter(sender, { canSignIn: status === 'approved' });
    if (mayMail) await mailLetter(inside, { to: email, template: 'portal_address_in_use', letter }, tools);
    return;
  }
  await tx.portalUser.lockFirst({ where: { id: user.id }, sharesKey: true });
  if (user.createdBy === null && !hasPassword)
    await tx.portalUser.updateMany({ where: { id: user.id }, data: { mustChoosePassword: true } });
  if (!mayMail || (await secondsToNextLink(tx, user.id, 'application')) !== undefined) return;
  const undecided = hasPassword ? applicationLetter : repeatedLetter;
  const letter = status === 'rejected' ? againLetter : undecided;
  await mailLink(inside, user, { purpose: 'application', sender, letter }, tools);
}
