import type { internalPortal } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { clientOf, deleteExpired, refreshExpiry } from '../auth/session.ts';
import { readTenant } from '../tenants/tenant.ts';
import { issuePortalTokens } from './portal-session.ts';

export const openPortalSession =
  (tools: Tools): Handler<typeof internalPortal.openPortalSession> =>
  async ({ body, caller, tx }) => {
    const { tenantId, environment } = caller;
    if (tenantId === undefined) throw fail('not_found');
    const { status } = await readTenant(tx);
    if (status !== 'active') throw fail('not_found');
    await deleteExpired(tx);
    const { partnerId, portalUserId, name } = body;
    const { id: sessionId } = await tx.session.create({
      data: {
        partnerId,
        portalUserId,
        portalUserName: name,
        portalEnvironment: environment,
        ...clientOf(caller),
        expiresAt: refreshExpiry(),
      },
    });
    return issuePortalTokens(tx, { tenantId, sessionId, portalUserId }, tools);
  };
