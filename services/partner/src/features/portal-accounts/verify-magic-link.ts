import type { portalAccounts } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { openSession } from '../portal/open-session.ts';
import { confirmAddress } from './confirm-address.ts';
import { badLink, findLink, useLink } from './portal-token.ts';

export const verifyMagicLink =
  (tools: Tools): Handler<typeof portalAccounts.verifyMagicLink> =>
  async ({ body, caller, inTenant }) => {
    const link = tools.portalLinks.read(body.token, ['magic_link']);
    if (!link) throw badLink();
    const { tenantId, environment, hash } = link;
    const scope = { tenantId, environment };
    const found = await inTenant(scope, ({ tx }) => findLink(tx, hash));
    const { user, partner } = found;
    if (partner.status !== 'approved') throw fail('partner_not_approved');
    const actor = { type: 'portal' as const, portalUserId: user.id, partnerId: partner.id, name: user.email };
    // Before the session is opened: a link that fails afterwards is lost, but never works twice.
    await inTenant({ ...scope, actor }, async ({ tx, emit }) => {
      await confirmAddress({ tx, emit }, user);
      await useLink(tx, hash);
    });
    const signedIn = await openSession(tools, { ...found, caller, inTenant });
    if (!signedIn) throw badLink();
    return signedIn;
  };
