import { ServiceCallError } from '@tandem/client/internal';
import type { portal } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { asPartner } from '../partners/partner.ts';

export const refreshPortal =
  ({ peers }: Tools): Handler<typeof portal.refreshPortal> =>
  async ({ body, caller, inTenant }) => {
    const { requestId, ip, userAgent } = caller;
    const client = { requestId, ...(ip !== undefined && { ip }), ...(userAgent !== undefined && { userAgent }) };
    // Sent without a tenant, which identity reads from the token.
    const as = { ...client, environment: caller.environment };
    const session = await peers.identity.refreshPortalSession({ body, as }).catch((error: unknown) => {
      if (!(error instanceof ServiceCallError)) throw error;
      if (error.code === 'tenant_suspended') throw fail('tenant_suspended');
      throw error.status === 401 ? fail('bad_refresh_token') : error;
    });
    const { tenantId, environment, partnerId } = session;
    const scope = { tenantId, environment };
    const partner = await inTenant(scope, ({ tx }) => tx.partner.findFirst({ where: { id: partnerId } }));
    if (partner?.status !== 'approved') {
      await peers.identity.endPortalSessions({ body: { partnerId }, as: { ...client, ...scope } });
      throw fail('partner_not_approved');
    }
    const { accessToken: token, expiresAt, refreshToken } = session;
    return { token, expiresAt, refreshToken, partner: asPartner(partner) };
  };
