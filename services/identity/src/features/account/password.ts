import type { Emit } from '@tandem/events';
import { type userLoggedOut, userPasswordChanged } from '@tandem/identity-contract';
import { verifyPassword } from '@tandem/passwords';
import { failField } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { endSessions } from '../auth/session.ts';
import { type Inside, readerOf, sendLetter } from './account-mail.ts';
import { withdrawLinks } from './account-token.ts';
import { passwordChangedLetter } from './letters.ts';

/**
 * Checks the password of a signed-in person, outside of a transaction. Failures count like those of a sign-in, because
 * a stolen session must not help to guess the password.
 * @returns the hash that was checked
 */
export async function checkCurrentPassword(
  tx: Tx,
  { userId, password, ip, field }: { userId: number; password: string; ip: string | undefined; field: string },
  { limiter }: Pick<Tools, 'limiter'>,
): Promise<string> {
  const user = await tx.user.findFirst({ where: { id: userId } });
  const email = `password of ${user?.tenantId} ${userId}`;
  const hash = await limiter.guard({ email, ip: ip ?? '' }, async () =>
    (await verifyPassword(user?.passwordHash, password)) ? user?.passwordHash : undefined,
  );
  if (hash === undefined) throw failField(field, 'Is not the current password');
  return hash;
}

/**
 * Stores a new password, ends the sessions of the user, withdraws links to reset the password or change the address,
 * and notifies the user.
 * @param change.keepSessionId the session that is kept
 */
export async function replacePassword(
  { tx, emit, schedule }: Inside & { emit: Emit<typeof userPasswordChanged | typeof userLoggedOut> },
  user: { id: number; email: string; firstName: string },
  change: { passwordHash: string; by: 'user' | 'link' | 'administrator'; keepSessionId?: number | undefined },
  tools: Pick<Tools, 'mail'>,
): Promise<void> {
  const { passwordHash, by, keepSessionId } = change;
  await tx.user.updateMany({ where: { id: user.id }, data: { passwordHash, version: { increment: 1 } } });
  // Also withdraws links for a new address: an intruder may have requested them before the password was changed.
  for (const purpose of ['password_reset', 'email_change'] as const) await withdrawLinks(tx, user.id, purpose);
  const others = keepSessionId === undefined ? {} : { id: { not: keepSessionId } };
  await endSessions(tx, emit, { where: { userId: user.id, ...others }, reason: 'password_changed' });
  emit(userPasswordChanged, { data: { userId: user.id, by }, record: { id: user.id } });
  const letter = passwordChangedLetter(await readerOf(tx, user), { at: new Date(), by });
  await sendLetter({ tx, schedule }, tools, { to: user.email, template: 'password_changed', letter });
}
