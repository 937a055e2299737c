import type { Emit } from '@tandem/events';
import { portalUserPasswordChanged } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { PortalUser } from '../../generated/client.ts';
import type { Tools } from '../../handler.ts';
import { endPortalSessionsJob } from '../portal/portal-jobs.ts';
import { asPortalUser, isInvited, type PortalUserRecord, portalUserEvent } from '../portal-users/portal-user.ts';
import { passwordChangedLetter, type Sender } from './letters.ts';
import { type Inside, mailLetter } from './portal-mail.ts';
import { withdrawLinks } from './portal-token.ts';

interface Change {
  passwordHash: string;
  sender: Sender;
  /** The session that is kept. */
  exceptSessionId?: number | undefined;
}

/**
 * Stores a new password of a locked portal user, ends the sessions of the user, and makes links to sign in or to set the
 * password unusable. A user who had one is notified.
 */
export async function replacePassword(
  inside: Inside & { emit: Emit<typeof portalUserPasswordChanged> },
  user: PortalUser,
  { passwordHash, sender, exceptSessionId }: Change,
  tools: Pick<Tools, 'mail'>,
): Promise<PortalUserRecord> {
  const { tx, emit, schedule } = inside;
  const { id: portalUserId, partnerId, email: to } = user;
  const [row] = await tx.portalUser.updateManyAndReturn({
    where: { id: portalUserId },
    data: { passwordHash, mustChoosePassword: false, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  await withdrawLinks(tx, portalUserId, ['invitation', 'magic_link', 'password_reset']);
  const changed = asPortalUser(row);
  emit(portalUserPasswordChanged, portalUserEvent(changed));
  await schedule(endPortalSessionsJob, [{ partnerId, portalUserId, exceptSessionId: exceptSessionId ?? null }]);
  if (isInvited(user)) return changed;
  const letter = passwordChangedLetter(sender, new Date());
  await mailLetter(inside, { to, template: 'portal_password_changed', letter }, tools);
  return changed;
}
