import { linkHours, linksPerHourMax } from '@tandem/identity-contract';
import { fail, failField, type InTenant } from '@tandem/service';
import type { Purpose } from '../../account-links.ts';
import type { Tools, Tx } from '../../handler.ts';

const hourMs = 3_600_000;

export type UserPurpose = Exclude<Purpose, 'invitation'>;

/**
 * Issues a link for a user and stores its hash. Removes links that expired an hour ago; newer ones count towards the
 * limit.
 */
export async function issueLink(
  tx: Tx,
  { tenantId, userId, purpose, email }: { tenantId: number; userId: number; purpose: UserPurpose; email: string },
  { links }: Pick<Tools, 'links'>,
): Promise<{ url: string; expiresAt: Date }> {
  await tx.accountToken.deleteMany({ where: { userId, expiresAt: { lt: new Date(Date.now() - hourMs) } } });
  const expiresAt = new Date(Date.now() + linkHours[purpose] * hourMs);
  const { url, hash } = links.issue({ tenantId, purpose, expiresAt });
  await tx.accountToken.create({ data: { hash, userId, purpose, email, expiresAt } });
  return { url, expiresAt };
}

/**
 * The seconds after which a user may get another link of this purpose; undefined if they may get one now. They get a
 * limited number within an hour.
 */
export async function secondsToNextLink(tx: Tx, userId: number, purpose: UserPurpose): Promise<number | undefined> {
  const createdAt = { gt: new Date(Date.now() - hourMs) };
  const recent = await tx.accountToken.findMany({
    where: { userId, purpose, createdAt },
    select: { createdAt: true },
    orderBy: { createdAt: 'desc' },
    take: linksPerHourMax,
  });
  const oldest = recent[linksPerHourMax - 1];
  return oldest && (oldest.createdAt.getTime() + hourMs - Date.now()) / 1_000;
}

/** @throws ApiError 429 if the user got too many links of this purpose within an hour */
export async function checkLinks(tx: Tx, userId: number, purpose: UserPurpose): Promise<void> {
  const retryAfter = await secondsToNextLink(tx, userId, purpose);
  if (retryAfter !== undefined) throw fail('too_many_links', [], { retryAfter });
}

/** Finds the user of an unused link. */
export async function findLink(tx: Tx, hash: string) {
  const token = await tx.accountToken.findFirst({ where: { hash, usedAt: null }, include: { user: true } });
  if (!token) throw badLink();
  return token;
}

/**
 * Finds the link that somebody opens, used or not, without using it. Undefined if it was not issued for these purposes
 * or has expired.
 */
export async function peekLink(
  { token, purposes, inTenant }: { token: string; purposes: readonly UserPurpose[]; inTenant: InTenant<Tx, never> },
  { links }: Pick<Tools, 'links'>,
) {
  const link = links.read(token, purposes);
  if (!link) return undefined;
  return inTenant({ tenantId: link.tenantId, environment: 'live' }, ({ tx }) =>
    tx.accountToken.findFirst({ where: { hash: link.hash }, include: { user: true } }),
  );
}

/**
 * Marks a link as used. Of two concurrent uses the second waits here and finds the link used.
 * @throws ApiError 422 if it was used or withdrawn in the meantime
 */
export async function useLink(tx: Tx, hash: string): Promise<void> {
  const { count } = await tx.accountToken.updateMany({ where: { hash, usedAt: null }, data: { usedAt: new Date() } });
  if (!count) throw badLink();
}

/** Makes the other links of a user for one purpose unusable. */
export async function withdrawLinks(tx: Tx, userId: number, purpose: UserPurpose): Promise<void> {
  await tx.accountToken.updateMany({ where: { userId, purpose, usedAt: null }, data: { usedAt: new Date() } });
}

/** The error for any link that does not work; it does not tell why. */
export function badLink() {
  return failField('token', 'Is invalid, used or expired; request a new link');
}
