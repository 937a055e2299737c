import { orAbsent } from '@tandem/client/internal';
import { type portal, portalUserLoggedIn } from '@tandem/partner-contract';
import { verifyPassword } from '@tandem/passwords';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { asPartner } from '../partners/partner.ts';
import { asPortalUser } from '../portal-users/portal-user.ts';

export const loginToPortal =
  ({ peers, limiter }: Tools): Handler<typeof portal.loginToPortal> =>
  async ({ body, caller, inTenant }) => {
    const { email, password, tenant: tenantId } = body;
    const { environment, requestId, ip, userAgent } = caller;
    const scope = { tenantId, environment };

    const findUser = async () => {
      const found = await inTenant(scope, async ({ tx }) => {
        const user = await tx.portalUser.findFirst({ where: { email } });
        const partner = user && (await tx.partner.findFirst({ where: { id: user.partnerId } }));
        return partner ? { user, partner } : undefined;
      });
      const isRight = await verifyPassword(found?.user.passwordHash, password);
      return found && isRight ? found : undefined;
    };

    // An address of one tenant says nothing about that of another.
    const found = await limiter.guard({ email: `portal ${tenantId} ${email}`, ip: ip ?? '' }, findUser);
    if (!found) throw fail('bad_credentials');
    const { user, partner } = found;
    if (partner.status !== 'approved') throw fail('partner_not_approved');

    const session = await orAbsent(
      peers.identity.openPortalSession({
        body: { partnerId: partner.id, portalUserId: user.id, name: user.email.slice(0, 200) },
        as: { ...scope, requestId, ...(ip !== undefined && { ip }), ...(userAgent !== undefined && { userAgent }) },
      }),
    );
    // The tenant is no longer active: nobody signs in there, and nobody is told why.
    if (!session) throw fail('bad_credentials');

    const actor = { type: 'portal' as const, portalUserId: user.id, partnerId: partner.id, name: user.email };
    await inTenant({ ...scope, actor }, async ({ tx, emit }) => {
      const lastLoginAt = new Date();
      // A sign-in is no change of the user: version and updated_at stay.
      await tx.sql`UPDATE portal_user SET last_login_at = ${lastLoginAt} WHERE id = ${user.id}`;
      emit(portalUserLoggedIn, {
        data: { portalUserId: user.id, partnerId: partner.id },
        record: asPortalUser({ ...user, lastLoginAt }),
      });
    });
    const { accessToken: token, expiresAt, refreshToken } = session;
    return { token, expiresAt, refreshToken, partner: asPartner(partner) };
  };
