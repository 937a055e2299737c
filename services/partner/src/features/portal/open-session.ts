import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import type { PortalSignIn } from '@tandem/partner-contract';
import { portalUserLoggedIn } from '@tandem/partner-contract';
import { fail, type InTenant } from '@tandem/service';
import type { z } from 'zod';
import type { Partner, PortalUser } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { asPartner } from '../partners/partner.ts';
import { asPortalUser } from '../portal-users/portal-user.ts';

interface SigningIn {
  user: PortalUser;
  partner: Partner;
  caller: Caller;
  inTenant: InTenant<Tx, typeof portalUserLoggedIn>;
}

/**
 * Opens a session of a portal user who has proven who they are. Undefined if the tenant is inactive, or the user was
 * deleted or got another password meanwhile.
 * @throws 403 if the partner is not approved
 */
export async function openSession(
  { peers }: Pick<Tools, 'peers'>,
  { user, partner, caller, inTenant }: SigningIn,
): Promise<z.output<typeof PortalSignIn> | undefined> {
  const { tenantId } = user;
  const environment = user.environment === 'sandbox' ? 'sandbox' : 'live';
  const scope = { tenantId, environment } as const;
  const { requestId, ip, userAgent } = caller;
  const as = { ...scope, requestId, ...(ip !== undefined && { ip }), ...(userAgent !== undefined && { userAgent }) };
  if (partner.status !== 'approved') throw fail('partner_not_approved');
  const session = await orAbsent(
    peers.identity.openPortalSession({
      body: { partnerId: partner.id, portalUserId: user.id, name: user.email.slice(0, 200) },
      as,
    }),
  );
  if (!session) return undefined;
  const actor = { type: 'portal' as const, portalUserId: user.id, partnerId: partner.id, name: user.email };
  const outcome = await inTenant({ ...scope, actor }, async ({ tx, emit }) => {
    // Read after the session was opened: whoever ends sessions after this read ends this one too.
    const [now] = await tx.partner.findMany({ where: { id: partner.id }, select: { status: true } });
    if (now?.status !== 'approved') return 'partner_not_approved';
    const lastLoginAt = new Date();
    // Does not touch version and updated_at.
    const updated = await tx.sql`UPDATE portal_user SET last_login_at = ${lastLoginAt}
      WHERE id = ${user.id} AND password_hash IS NOT DISTINCT FROM ${user.passwordHash}
        AND must_choose_password = ${user.mustChoosePassword} RETURNING id`;
    if (!updated.length) return 'user_changed';
    emit(portalUserLoggedIn, {
      data: { portalUserId: user.id, partnerId: partner.id },
      record: asPortalUser({ ...user, lastLoginAt }),
    });
    return 'signed_in';
  });
  const { accessToken: token, expiresAt, refreshToken } = session;
  if (outcome === 'signed_in') return { token, expiresAt, refreshToken, partner: asPartner(partner) };
  await peers.identity.endPortalSessions({ body: { partnerId: partner.id, portalUserId: user.id }, as });
  if (outcome === 'partner_not_approved') throw fail('partner_not_approved');
  return undefined;
}
