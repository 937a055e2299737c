import { type invitations, userLoggedIn } from '@tandem/identity-contract';
import { hashPassword } from '@tandem/passwords';
import { fail } from '@tandem/service';
import { asActor, type Handler, type Tools } from '../../handler.ts';
import { challengeFor } from '../auth/challenge.ts';
import { openSession } from '../auth/session.ts';
import { mustUseSso } from '../sso/connection.ts';
import { asTenant } from '../tenants/tenant.ts';
import { statusOf } from './invitation.ts';
import { acceptOffer, lockOffer } from './offer.ts';

export const acceptInvitation =
  (tools: Tools): Handler<typeof invitations.acceptInvitation> =>
  async ({ params, body: { password, ...person }, caller, inTenant }) => {
    const link = tools.links.read(params.token, ['invitation']);
    if (!link) throw fail('invitation_closed');
    const { tenantId, hash } = link;
    const scope = { tenantId, environment: 'live' as const };
    // Checked before hashing, so that only a pending invitation costs the time of a hash.
    const id = await inTenant(scope, async ({ tx }) => {
      const found = await tx.invitation.findFirst({ where: { hash } });
      if (!found || statusOf(found) !== 'pending') throw fail('invitation_closed');
      const [next] = await tx.sql<{ id: number }>`SELECT nextval(pg_get_serial_sequence('"user"', 'id')) AS id`;
      return (next as { id: number }).id;
    });
    const passwordHash = await hashPassword(password);
    return inTenant({ ...scope, actor: asActor({ id, ...person }) }, async ({ tx, emit }) => {
      const offer = await lockOffer(tx, { hash });
      if (!offer) throw fail('invitation_closed');
      const { role, tenant, invitation } = offer;
      // The invitation stays open: the first sign-in through the provider accepts it.
      if (await mustUseSso(tx, { user: { email: invitation.email }, role })) throw fail('sso_required');
      // A tenant that requires a second factor gives no session before there is one.
      const challenge = await challengeFor(tx, { user: { id, passwordHash }, tenant }, tools.seal);
      const signedIn = challenge ? {} : { lastLoginAt: new Date() };
      const user = await acceptOffer(tx, emit, { offer, person: { id, ...person, passwordHash, ...signedIn } }, tools);
      if (challenge) return challenge;
      const opened = { tenantId, user, role, caller, method: 'invitation' as const };
      const { session, tokens } = await openSession(tx, opened, tools);
      emit(userLoggedIn, { data: { userId: id, sessionId: session.id, method: 'invitation' }, record: session });
      return { ...tokens, user, tenant: asTenant(tenant) };
    });
  };
