import { Environment } from '@tandem/contract';
import type { internalAccess } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { type Handler, nameOf, type Tx } from '../../handler.ts';
import { effectiveFeatures } from '../addons/effective-features.ts';
import { limitsOf } from '../tenants/tenant.ts';

const lastSeenIntervalMs = 300_000;

export const resolveSession: Handler<typeof internalAccess.resolveSession> = async ({ body, inTenant }) => {
  const { tenantId, sessionId } = body;
  return inTenant({ tenantId, environment: 'live' }, async ({ tx }) => {
    const row = await tx.session.findFirst({
      where: { id: sessionId },
      include: { tenant: true, user: { include: { role: true, teams: true } } },
    });
    if (!row || row.endedAt || row.expiresAt <= new Date()) throw fail('not_found');
    const { user, tenant, expiresAt, lastSeenAt } = row;
    const isSuspended = tenant.status !== 'active';
    if (!lastSeenAt || Date.now() - lastSeenAt.getTime() > lastSeenIntervalMs) await markSeen(tx, sessionId);
    const features = await effectiveFeatures(tx, tenant);
    const session = {
      tenantId,
      keyId: null,
      sessionId,
      limits: limitsOf(tenant),
      features,
      allowedIps: null,
      expiresAt,
      ...(isSuspended && { suspended: true }),
    };
    if (!user) {
      const { partnerId, portalUserId, portalUserName, portalEnvironment } = row;
      return {
        ...session,
        partnerId,
        portalUserId,
        userId: null,
        name: portalUserName as string,
        environment: Environment.parse(portalEnvironment),
        permissions: [],
        teamIds: [],
      };
    }
    if (user.status !== 'active') throw fail('not_found');
    return {
      ...session,
      partnerId: null,
      portalUserId: null,
      userId: user.id,
      name: nameOf(user),
      environment: null,
      // A gateway of the previous release does not read `suspended`, and refuses a caller without permissions.
      permissions: isSuspended ? [] : user.role.permissions,
      teamIds: user.teams.map(({ teamId }) => teamId),
    };
  });
};

/** SKIP LOCKED avoids waiting for a refresh or the end of the session, in another transaction. */
async function markSeen(tx: Tx, sessionId: number): Promise<void> {
  await tx.sql`UPDATE session SET last_seen_at = now() WHERE id IN
    (SELECT id FROM session WHERE id = ${sessionId} FOR UPDATE SKIP LOCKED)`;
}
