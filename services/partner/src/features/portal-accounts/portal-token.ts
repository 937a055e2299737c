import { portalLinksPerHourMax } from '@tandem/partner-contract';
import { failField } from '@tandem/service';
import type { PortalUser } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import type { PortalPurpose } from '../../portal-links.ts';

const hourMs = 3_600_000;

type Owner = Pick<PortalUser, 'id' | 'tenantId' | 'environment'>;

/** Issues a link for a portal user and stores its hash. Earlier links of the purpose no longer work. */
export async function issueLink(
  tx: Tx,
  user: Owner,
  purpose: PortalPurpose,
  { portalLinks }: Pick<Tools, 'portalLinks'>,
): Promise<{ url: string; expiresAt: Date }> {
  await withdrawLinks(tx, user.id, [purpose]);
  const environment = user.environment === 'sandbox' ? 'sandbox' : 'live';
  const { url, hash, expiresAt } = portalLinks.issue({ tenantId: user.tenantId, environment }, purpose);
  await tx.portalToken.create({ data: { hash, portalUserId: user.id, purpose, expiresAt } });
  return { url, expiresAt };
}

/**
 * The seconds after which a portal user may get another link of this purpose; undefined if they may get one now. They get
 * a limited number within an hour.
 */
export async function secondsToNextLink(tx: Tx, portalUserId: number, purpose: PortalPurpose) {
  const recent = await tx.portalToken.findMany({
    where: { portalUserId, purpose, createdAt: { gt: new Date(Date.now() - hourMs) } },
    select: { createdAt: true },
    orderBy: { createdAt: 'desc' },
    take: portalLinksPerHourMax,
  });
  const oldest = recent[portalLinksPerHourMax - 1];
  return oldest && (oldest.createdAt.getTime() + hourMs - Date.now()) / 1_000;
}

/** Finds the portal user and the partner of a link that was not used. */
export async function findLink(tx: Tx, hash: string) {
  const token = await tx.portalToken.findFirst({ where: { hash, usedAt: null } });
  const user = token && (await tx.portalUser.findFirst({ where: { id: token.portalUserId } }));
  const partner = user && (await tx.partner.findFirst({ where: { id: user.partnerId } }));
  if (!partner) throw badLink();
  return { user, partner };
}

/**
 * Marks a link as used. Of two concurrent uses the second waits here and finds the link used.
 * @throws ApiError 422 if it was used or withdrawn in the meantime
 */
export async function useLink(tx: Tx, hash: string): Promise<void> {
  const { count } = await tx.portalToken.updateMany({ where: { hash, usedAt: null }, data: { usedAt: new Date() } });
  if (!count) throw badLink();
}

/** Makes the links of a portal user for some purposes unusable. */
export async function withdrawLinks(tx: Tx, portalUserId: number, purposes: readonly PortalPurpose[]): Promise<void> {
  const where = { portalUserId, purpose: { in: [...purposes] }, usedAt: null };
  await tx.portalToken.updateMany({ where, data: { usedAt: new Date() } });
}

/** Makes the link of the last application of a partner unusable. */
export async function withdrawApplication(tx: Tx, partnerId: number): Promise<void> {
  await tx.sql`UPDATE portal_token SET used_at = now() FROM portal_user
    WHERE portal_user.id = portal_token.portal_user_id AND portal_user.partner_id = ${partnerId}
      AND portal_token.purpose = 'application' AND portal_token.used_at IS NULL`;
}

/** The error for any link that does not work; it does not tell why. */
export function badLink() {
  return failField('token', 'Is invalid, used or expired; request a new link');
}
