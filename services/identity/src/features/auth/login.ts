import { type signIn, userLoggedIn } from '@tandem/identity-contract';
import { verifyPassword } from '@tandem/passwords';
import { fail, failField } from '@tandem/service';
import { type Handler, inTheNameOf, type Tools } from '../../handler.ts';
import { asTenant } from '../tenants/tenant.ts';
import { emailHash, withTeams } from '../users/user.ts';
import { openSession } from './session.ts';

// Addresses are not proven at sign-up: somebody could open tenants under another's, and each costs every sign-in of the
// address one password. The oldest come first; who is in more tenants says which.
const candidatesMax = 5;

export const login =
  (tools: Tools): Handler<typeof signIn.login> =>
  async ({ body, caller, tx, inTenant }) => {
    const { email, password, tenantId } = body;

    const findMatches = async () => {
      const places = await tx.emailLookup.findMany({
        where: {
          emailHash: emailHash(email, tools.pepper),
          ...(tenantId !== undefined && { ownerTenantId: tenantId }),
        },
        orderBy: { ownerTenantId: 'asc' },
        take: candidatesMax,
      });
      const matches = [];
      for (const { ownerTenantId } of places) {
        const found = await inTenant({ tenantId: ownerTenantId, environment: 'live' }, async ({ tx: own }) => {
          const user = await own.user.findFirst({ where: { email }, include: { role: true, tenant: true } });
          return user && { tenantId: ownerTenantId, user };
        });
        const isRight = await verifyPassword(found?.user.passwordHash, password);
        if (found && isRight && found.user.status === 'active' && found.user.tenant.status === 'active')
          matches.push(found);
      }
      if (!places.length) await verifyPassword(undefined, password);
      return matches.length ? matches : undefined;
    };

    const matches = await tools.limiter.guard({ email, ip: caller.ip ?? '' }, findMatches);
    const [match, another] = matches ?? [];
    if (!match) throw fail('bad_credentials');
    if (another) throw failField('tenantId', 'Several tenants have a user with this address: say which one');

    return inTenant(inTheNameOf(match.tenantId, match.user), async ({ tx: own, emit }) => {
      const { user } = match;
      const { session, tokens } = await openSession(
        own,
        { tenantId: match.tenantId, user, role: user.role, caller },
        tools,
      );
      // Not a change of the user: neither version nor updated_at moves.
      await own.sql`UPDATE "user" SET last_login_at = ${session.createdAt} WHERE id = ${user.id}`;
      emit(userLoggedIn, { data: { userId: user.id, sessionId: session.id }, record: session });
      return {
        ...tokens,
        user: { ...(await withTeams(own, user)), lastLoginAt: session.createdAt },
        tenant: asTenant(user.tenant),
      };
    });
  };
