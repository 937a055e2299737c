import type { internalAccess } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { type Handler, nameOf } from '../../handler.ts';
import { intersection } from '../../permissions.ts';
import { asApiKey } from '../api-keys/api-key.ts';
import { limitsOf } from '../tenants/tenant.ts';

const lastUsedEveryMs = 300_000;

export const resolveKey: Handler<typeof internalAccess.resolveKey> = async ({ body, tx, inTenant }) => {
  const { hash } = body;
  const place = await tx.keyLookup.findFirst({ where: { hash } });
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
    // Not a change of the key: neither its version nor updated_at moves. Whoever is changing it must not be waited for.
    if (isDue) {
      await own.sql`UPDATE api_key SET last_used_at = now() WHERE id IN
        (SELECT id FROM api_key WHERE id = ${keyId} FOR UPDATE SKIP LOCKED)`;
    }
    return {
      ...{ tenantId, environment, keyId, sessionId: null },
      ...{ partnerId: null, portalUserId: null },
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
