import type { portalAccounts } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { openSession } from '../portal/open-session.ts';
import { badLink, findLink, useLink } from './portal-token.ts';

export const verifyMagicLink =
  (tools: Tools): Handler<typeof portalAccounts.verifyMagicLink> =>
  async ({ body, caller, inTenant }) => {
    const link = tools.portalLinks.read(body.token, ['magic_link']);
    if (!link) throw badLink();
    const { tenantId, environment, hash } = link;
    const found = await inTenant({ tenantId, environment }, async ({ tx }) => {
      const owner = await findLink(tx, hash);
      if (owner.partner.status !== 'approved') throw fail('partner_not_approved');
      // Before the session is opened: a link that fails afterwards is lost, but never works twice.
      await useLink(tx, hash);
      return owner;
    });
    const signedIn = await openSession(tools, { ...found, caller, inTenant });
    if (!signedIn) throw badLink();
    return signedIn;
  };
