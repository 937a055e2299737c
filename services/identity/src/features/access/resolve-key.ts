import type { internalAccess } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { type Handler, nameOf, type Tools, type Tx } from '../../handler.ts';
import { intersection } from '../../permissions.ts';
import { asApiKey } from '../api-keys/api-key.ts';
import { limitsOf } from '../tenants/tenant.ts';

const lastUsedEveryMs = 300_000;

export const resolveKey =
  (tools: Tools): Handler<typeof internalAccess.resolveKey> =>
  async ({ body, tx, inTenant }) => {
    const { hash, pepper, previous = [] } = body;
    const place = await tx.keyLookup.findFirst({ where: { hash: { in: [hash, ...previous] } } });
    if (!place) throw fail('not_found');
    const { ownerTenantId: tenantId, keyId } = place;

    return inTenant({ tenantId, environment: 'live' }, async ({ tx: own }) => {
      const row = await own.apiKey.findFirst({
        where: { id: keyId },
        include: { tenant: true, creator: { include: { role: true, teams: true } } },
      });
      if (row?.tenant.status !== 'active') throw fail('not_found');
      const { status, environment } = asApiKey(row);
      if (status !== 'active') throw fail('not_found');
      const isDue = !row.lastUsedAt || Date.now() - row.lastUsedAt.getTime() > lastUsedEveryMs;
      // Not a change of the key: neither its version nor updated_at moves. The update waits for no other transaction.
      if (isDue) {
        await own.sql`UPDATE api_key SET last_used_at = now() WHERE id IN
        (SELECT id FROM api_key WHERE id = ${keyId} FOR UPDATE SKIP LOCKED)`;
      }
      // Only when gateway and identity have the same current pepper: while it changes, they would replace hashes in turn.
      if (pepper === tools.pepper.id && (place.hash !== hash || place.pepper !== pepper))
        await rehash(own, place, { hash, pepper });
      return {
        tenantId,
        environment,
        keyId,
        sessionId: null,
        partnerId: null,
        portalUserId: null,
        userId: row.createdBy,
        teamIds: row.creator.teams.map(({ teamId }) => teamId),
        name: nameOf(row.creator),
        permissions: permissionsOf(row),
        limits: limitsOf(row.tenant),
        allowedIps: row.allowedIps.length ? row.allowedIps : null,
        expiresAt: row.expiresAt,
      };
    });
  };

/**
 * Replaces the hash of a key by the one under the current pepper: the key is only known when it is used. Nothing waits for another
 * transaction; a key that is locked is rehashed when it is used again.
 */
async function rehash(
  own: Tx,
  { hash: before, keyId }: { hash: string; keyId: number },
  { hash, pepper }: { hash: string; pepper: string | null },
): Promise<void> {
  const [locked] = await own.sql`UPDATE api_key SET hash = ${hash} WHERE id IN
    (SELECT id FROM api_key WHERE id = ${keyId} FOR UPDATE SKIP LOCKED) RETURNING id`;
  if (locked) await own.sql`UPDATE key_lookup SET hash = ${hash}, pepper = ${pepper} WHERE hash = ${before}`;
}

interface KeyWithCreator {
  permissions: string[];
  creator: { status: string; role: { permissions: string[] } };
}

/**
 * The permissions that a key has now: its own ones as far as the role of its creator has them too. A key without permissions
 * of its own has those of the role, and none once the creator is deactivated.
 */
function permissionsOf({ permissions: own, creator }: KeyWithCreator): string[] {
  const { permissions: role } = creator.role;
  if (own.length) return intersection(own, role);
  return creator.status === 'active' ? role : [];
}
