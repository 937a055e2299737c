import type { portal } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asPortalUser } from '../portal-users/portal-user.ts';
import { readTiers } from '../tiers/tier-rules.ts';
import { readOwnPartner } from './own-partner.ts';

export const getPortalMe: Handler<typeof portal.getPortalMe> = async ({ caller, tx }) => {
  const partner = await readOwnPartner(tx, caller);
  const { portalUserId } = caller;
  const user =
    portalUserId === undefined
      ? null
      : await tx.portalUser.findFirst({ where: { id: portalUserId, partnerId: partner.id } });
  if (!user) throw fail('unauthenticated');
  const { tiers } = await readTiers(tx);
  const benefits = tiers.find(({ tier }) => tier === partner.tier)?.benefits ?? [];
  return { user: asPortalUser(user), partner, tierBenefits: benefits };
};
