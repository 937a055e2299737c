import type { portal } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asPartner } from '../partners/partner.ts';
import { asPortalUser } from '../portal-users/portal-user.ts';

export const getPortalMe: Handler<typeof portal.getPortalMe> = async ({ caller, tx }) => {
  const { partnerId, portalUserId } = caller;
  if (partnerId === undefined || portalUserId === undefined) throw fail('unauthenticated');
  const [partner, user] = await Promise.all([
    tx.partner.findFirst({ where: { id: partnerId } }),
    tx.portalUser.findFirst({ where: { id: portalUserId, partnerId } }),
  ]);
  if (!partner || !user) throw fail('unauthenticated');
  return { user: asPortalUser(user), partner: asPartner(partner) };
};
