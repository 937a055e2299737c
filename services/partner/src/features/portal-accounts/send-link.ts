import type { Caller } from '@tandem/caller';
import type { InTenant } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import type { PortalPurpose } from '../../portal-links.ts';
import { isInvited } from '../portal-users/portal-user.ts';
import { senderOf } from './letters.ts';
import { mailLink } from './portal-mail.ts';
import { secondsToNextLink } from './portal-token.ts';
import { limitRequests } from './request-limit.ts';

interface Asked {
  address: { email: string; tenant: number };
  purpose: Exclude<PortalPurpose, 'invitation' | 'application'>;
  caller: Caller;
  inTenant: InTenant<Tx, never>;
  /** Statuses of partners whose users get a link. */
  statuses: readonly string[];
  /** Whether a user who was invited, and has no password yet that signs in, gets a link. */
  invited: boolean;
}

/**
 * Sends a link to the portal user with an address, if there is one. The user is looked up and mailed after the response,
 * which takes as long for an address that is known.
 */
export async function sendLink(asked: Asked, tools: Tools): Promise<void> {
  const { address, purpose, caller, inTenant, statuses, invited } = asked;
  const { email, tenant: tenantId } = address;
  await limitRequests({ kind: purpose, tenantId, email }, caller, tools);
  const { environment, requestId } = caller;
  const scope = { tenantId, environment };
  // Answers 404 if the tenant is not active.
  await inTenant(scope, async () => undefined);
  tools.inBackground(async () => {
    const user = await inTenant(scope, ({ tx }) => tx.portalUser.findFirst({ where: { email } }));
    if (!user || (isInvited(user) && !invited)) return;
    const sender = senderOf(await tools.settingsOf({ ...scope, requestId }));
    await inTenant(scope, async ({ tx, schedule }) => {
      const partner = await tx.partner.findFirst({ where: { id: user.partnerId }, select: { status: true } });
      if (!partner || !statuses.includes(partner.status)) return;
      // Requests at the same time must not pass the limit together.
      const locked = await tx.portalUser.lockFirst({ where: { id: user.id }, sharesKey: true });
      if (!locked || (await secondsToNextLink(tx, user.id, purpose)) !== undefined) return;
      await mailLink({ tx, schedule }, user, { purpose, sender }, tools);
    });
  });
}
