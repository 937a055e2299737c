import type { Schedule } from '@tandem/events';
import { type Letter, renderLetter } from '@tandem/mail';
import { fail } from '@tandem/service';
import type { PortalUser } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import type { PortalPurpose } from '../../portal-links.ts';
import { applicationLetter } from './application-letters.ts';
import { invitationLetter, magicLinkLetter, resetLetter, type Sender } from './letters.ts';
import { issueLink } from './portal-token.ts';

const dayMs = 86_400_000;

/** The transaction that a message belongs to. */
export interface Inside {
  tx: Tx;
  schedule: Schedule;
}

type MailTools = Pick<Tools, 'mail' | 'portalLinks'>;

const letters = {
  invitation: invitationLetter,
  application: applicationLetter,
  magic_link: magicLinkLetter,
  password_reset: resetLetter,
};

interface LinkMessage {
  purpose: PortalPurpose;
  sender: Sender;
  /** Instead of the usual letter of the purpose. */
  letter?: typeof invitationLetter | undefined;
}

/**
 * Queues a message with a one-time link to a portal user.
 * @returns false if the tenant has reached its limit of messages
 */
export async function mailLink(
  inside: Inside,
  user: Pick<PortalUser, 'id' | 'tenantId' | 'environment' | 'email'>,
  { purpose, sender, letter: write = letters[purpose] }: LinkMessage,
  tools: MailTools,
): Promise<boolean> {
  const link = await issueLink(inside.tx, user, purpose, tools);
  const letter = write(sender, link);
  return mailLetter(inside, { to: user.email, template: `portal_${purpose}`, letter, notAfter: link.expiresAt }, tools);
}

/**
 * Queues a letter to one person.
 * @returns false if the tenant has reached its limit of messages
 */
export function mailLetter(
  inside: Inside,
  { to, template, letter, notAfter }: { to: string; template: string; letter: Letter; notAfter?: Date },
  { mail }: Pick<Tools, 'mail'>,
): Promise<boolean> {
  const content = renderLetter(letter);
  return mail(inside, [{ kind: 'account', to, template, content, ...(notAfter && { notAfter }) }]);
}

/** The error for a tenant that has reached its limit of messages, which are counted by day in UTC. */
export function mailLimit() {
  const now = Date.now();
  const tomorrow = Math.ceil((now + 1) / dayMs) * dayMs;
  return fail('mail_limit', [], { retryAfter: (tomorrow - now) / 1_000 });
}
