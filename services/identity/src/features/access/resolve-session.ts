import { Environment } from '@tandem/contract';
import type { internalAccess } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { type Handler, nameOf } from '../../handler.ts';
import { limitsOf } from '../tenants/tenant.ts';

export const resolveSession: Handler<typeof internalAccess.resolveSession> = async ({ body, inTenant }) => {
  const { tenantId, sessionId } = body;
  return inTenant({ tenantId, environment: 'live' }, async ({ tx }) => {
    const row = await tx.session.findFirst({
      where: { id: sessionId },
      include: { tenant: true, user: { include: { role: true, teams: true } } },
    });
    if (!row || row.endedAt || row.expiresAt <= new Date() || row.tenant.status !== 'active') throw fail('not_found');
    const { user, tenant, expiresAt } = row;
    const session = { tenantId, keyId: null, sessionId, limits: limitsOf(tenant), allowedIps: null, expiresAt };
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
      permissions: user.role.permissions,
      teamIds: user.teams.map(({ teamId }) => teamId),
    };
  });
};
