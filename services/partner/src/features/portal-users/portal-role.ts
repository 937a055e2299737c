import type { Caller } from '@tandem/caller';
import { PortalRole } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';

/**
 * The role of the portal user of a session, read with every request so that a change has an effect at once. Undefined if the
 * user was deleted, or the partner is not approved any more.
 */
export async function portalRole(
  tx: Tx,
  { partnerId, portalUserId }: Caller,
): Promise<z.output<typeof PortalRole> | undefined> {
  if (partnerId === undefined || portalUserId === undefined) return undefined;
  const [user, partner] = await Promise.all([
    tx.portalUser.findFirst({ where: { id: portalUserId, partnerId }, select: { role: true } }),
    tx.partner.findFirst({ where: { id: partnerId, status: 'approved' }, select: { id: true } }),
  ]);
  return user && partner ? PortalRole.parse(user.role) : undefined;
}
