import { type portalAccounts, portalUserUpdated } from '@tandem/partner-contract';
import { hashPassword } from '@tandem/passwords';
import type { Handler, Tools } from '../../handler.ts';
import { isInvited, portalUserEvent } from '../portal-users/portal-user.ts';
import { confirmAddress } from './confirm-address.ts';
import { senderOf } from './letters.ts';
import { badLink, findLink, useLink } from './portal-token.ts';
import { replacePassword } from './replace-password.ts';

export const resetPortalPassword =
  (tools: Tools): Handler<typeof portalAccounts.resetPortalPassword> =>
  async ({ body, caller, inTenant }) => {
    const link = tools.portalLinks.read(body.token, ['password_reset', 'invitation']);
    if (!link) throw badLink();
    const { tenantId, environment, hash } = link;
    const scope = { tenantId, environment };
    const { user } = await inTenant(scope, ({ tx }) => findLink(tx, hash));
    const sender = senderOf(await tools.settingsOf({ ...scope, requestId: caller.requestId }));
    // After the look-up, so that only a valid link costs the time of a hash.
    const passwordHash = await hashPassword(body.password);
    const actor = { type: 'portal' as const, portalUserId: user.id, partnerId: user.partnerId, name: user.email };
    await inTenant({ ...scope, actor }, async ({ tx, emit, schedule }) => {
      // The first password makes an owner one who counts for the last two, so the partner is locked before the user.
      await tx.partner.lockFirst({ where: { id: user.partnerId }, sharesKey: true });
      const locked = await tx.portalUser.lockFirst({ where: { id: user.id }, sharesKey: true });
      if (!locked) throw badLink();
      await useLink(tx, hash);
      const changed = await replacePassword({ tx, emit, schedule }, locked, { passwordHash, sender }, tools);
      await confirmAddress({ tx, emit }, locked);
      if (isInvited(locked))
        emit(portalUserUpdated, {
          ...portalUserEvent(changed),
          changes: { status: { from: 'invited', to: 'active' } },
        });
    });
    return { reset: true };
  };
