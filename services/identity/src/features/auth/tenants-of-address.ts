import type { Tools, Tx } from '../../handler.ts';
import { emailHashes } from '../users/user.ts';

// Sign-up does not verify addresses, so an attacker could create tenants with a victim's address, and each one adds a
// password check to every login and a message to every forgotten password.
const tenantsMax = 5;

/**
 * The tenants with a user of this address, at most five: those whose user has proven the address come first, so that
 * sign-ups with somebody else's address cannot displace them; of the others the newest come first. Users in more tenants
 * send a tenant id.
 */
export async function tenantsOfAddress(
  tx: Tx,
  { email, tenantId }: { email: string; tenantId?: number | undefined },
  { pepper }: Pick<Tools, 'pepper'>,
): Promise<number[]> {
  const lookups = await tx.emailLookup.findMany({
    where: {
      emailHash: { in: emailHashes(email, pepper) },
      ...(tenantId !== undefined && { ownerTenantId: tenantId }),
    },
    orderBy: [{ isProven: 'desc' }, { ownerTenantId: 'desc' }],
    take: tenantsMax,
  });
  return lookups.map(({ ownerTenantId }) => ownerTenantId);
}
