import type { Tools } from '../../handler.ts';
import { type Inside, readerOf, sendLetter } from './account-mail.ts';
import { checkLinks, issueLink, withdrawLinks } from './account-token.ts';
import { emailChangeNotice, verificationLetter } from './letters.ts';

/**
 * Sends a user the link that proves their address. Resolves to its expiry, or undefined if the tenant has reached its
 * limit of messages.
 */
export async function sendVerification(
  inside: Inside,
  user: { id: number; tenantId: number; email: string; firstName: string },
  tools: Pick<Tools, 'links' | 'mail'>,
): Promise<Date | undefined> {
  const { tx } = inside;
  const { id: userId, tenantId, email } = user;
  const link = await issueLink(tx, { tenantId, userId, purpose: 'email_verification', email }, tools);
  const letter = verificationLetter(await readerOf(tx, user), link);
  const message = { to: email, template: 'email_verification', letter, notAfter: link.expiresAt };
  return (await sendLetter(inside, tools, message)) ? link.expiresAt : undefined;
}

/**
 * Called after an administrator set the address of a user: sends a link to the new address, and a notice to the old
 * one.
 * @throws ApiError 429 if the user was sent too many links within an hour
 */
export async function announceAddress(
  inside: Inside,
  { from, user }: { from: string; user: Parameters<typeof sendVerification>[1] },
  tools: Pick<Tools, 'links' | 'mail'>,
): Promise<void> {
  const { tx } = inside;
  await checkLinks(tx, user.id, 'email_verification');
  // These links were sent to the old address, or would replace the new one.
  for (const purpose of ['password_reset', 'email_change', 'email_verification'] as const)
    await withdrawLinks(tx, user.id, purpose);
  await sendVerification(inside, user, tools);
  const letter = emailChangeNotice(await readerOf(tx, user), { newEmail: user.email, isDone: true });
  await sendLetter(inside, tools, { to: from, template: 'email_changed', letter });
}
