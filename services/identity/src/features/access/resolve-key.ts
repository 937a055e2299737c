import type { internalAccess } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { type Handler, nameOf, type Tools, type Tx } from '../../handler.ts';
import { effectiveFeatures } from '../addons/effective-features.ts';
import { asApiKey, keyPermissions } from '../api-keys/api-key.ts';
import { limitsOf } from '../tenants/tenant.ts';

const lastUsedIntervalMs = 300_000;
const include = { role: true, teams: true } as const;

export const resolveKey =
  (tools: Tools): Handler<typeof internalAccess.resolveKey> =>
  async ({ body, tx, inTenant }) => {
    const { hash, pepper, previous = [] } = body;
    const lookup = await tx.keyLookup.findFirst({ where: { hash: { in: [hash, ...previous] } } });
    if (!lookup) throw fail('not_found');
    const { ownerTenantId: tenantId, keyId } = lookup;

    return inTenant({ tenantId, environment: 'live' }, async ({ tx: tenantTx }) => {
      const row = await tenantTx.apiKey.findFirst({
        where: { id: keyId },
        include: { tenant: true, creator: { include }, owner: { include } },
      });
      if (!row) throw fail('not_found');
      const isSuspended = row.tenant.status !== 'active';
      const { status, environment } = asApiKey(row);
      const owner = row.owner ?? row.creator;
      if (status !== 'active') throw fail('not_found');
      const isDue = !row.lastUsedAt || Date.now() - row.lastUsedAt.getTime() > lastUsedIntervalMs;
      // Does not touch version and updated_at. SKIP LOCKED avoids waiting for other transactions.
      if (isDue) {
        await tenantTx.sql`UPDATE api_key SET last_used_at = now() WHERE id IN
        (SELECT id FROM api_key WHERE id = ${keyId} FOR UPDATE SKIP LOCKED)`;
      }
      // Only if gateway and identity have the same current pepper: during a rotation they would replace each other's
      // hashes.
      if (pepper === tools.pepper.id && (lookup.hash !== hash || lookup.pepper !== pepper))
        await rehash(tenantTx, lookup, { hash, pepper });
      return {
        tenantId,
        environment,
        keyId,
        sessionId: null,
        partnerId: null,
        portalUserId: null,
        userId: owner.id,
        teamIds: owner.teams.map(({ teamId }) => teamId),
        name: nameOf(owner),
        // A gateway of the previous release does not read `suspended`, and refuses a caller without permissions.
        permissions: isSuspended ? [] : keyPermissions(row.permissions, owner),
        features: await effectiveFeatures(tenantTx, row.tenant),
        limits: limitsOf(row.tenant),
        allowedIps: row.allowedIps.length ? row.allowedIps : null,
        expiresAt: row.expiresAt,
        ...(isSuspended && { suspended: true }),
      };
    });
  };

/**
 * Rehashes a key with the current pepper when it is used, which is the only time the plain key is known. Skips a locked
 * key; its next use rehashes it.
 */
async function rehash(
  tenantTx: Tx,
  { hash: before, keyId }: { hash: string; keyId: number },
  { hash, pepper }: { hash: string; pepper: string | null },
): Promise<void> {
  const [locked] = await tenantTx.sql`UPDATE api_key SET hash = ${hash} WHERE id IN
    (SELECT id FROM api_key WHERE id = ${keyId} FOR UPDATE SKIP LOCKED) RETURNING id`;
  if (locked) await tenantTx.sql`UPDATE key_lookup SET hash = ${hash}, pepper = ${pepper} WHERE hash = ${before}`;
}
