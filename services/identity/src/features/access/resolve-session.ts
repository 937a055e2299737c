import type { internalAccess } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { type Handler, nameOf } from '../../handler.ts';
import { limitsOf } from '../tenants/tenant.ts';

export const resolveSession: Handler<typeof internalAccess.resolveSession> = async ({ body, inTenant }) => {
  const { tenantId, sessionId } = body;
  return inTenant({ tenantId, environment: 'live' }, async ({ tx }) => {
    const row = await tx.session.findFirst({
      where: { id: sessionId },
      include: { tenant: true, user: { include: { role: true } } },
    });
    const isOpen =
      row &&
      !row.endedAt &&
      row.expiresAt > new Date() &&
      row.user.status === 'active' &&
      row.tenant.status === 'active';
    if (!isOpen) throw fail('not_found');
    const { user, tenant, expiresAt } = row;
    return {
      ...{ tenantId, environment: null, keyId: null, sessionId, teamIds: [], allowedIps: null, expiresAt },
      userId: user.id,
      name: nameOf(user),
      permissions: user.role.permissions,
      limits: limitsOf(tenant),
    };
  });
};
