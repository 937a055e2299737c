import { type signIn, userLoggedIn } from '@tandem/identity-contract';
import { verifyPassword } from '@tandem/passwords';
import { fail, failField } from '@tandem/service';
import { asActor, type Handler, type Tools, type Tx } from '../../handler.ts';
import { asTenant } from '../tenants/tenant.ts';
import { emailHashes, withTeams } from '../users/user.ts';
import { recordFailedSignIn } from './record-failed-sign-in.ts';
import { openSession } from './session.ts';

// Addresses are not proven at sign-up: somebody could open tenants under another's, and each costs every sign-in of the
// address one password. The oldest come first; who is in more tenants says which.
const candidatesMax = 5;

// An unknown address is looked for in this tenant, which no sign-up reaches: otherwise the time of the answer would tell
// which addresses have an account.
const tenantOfNobody = 2 ** 24 - 1;

export const login =
  (tools: Tools): Handler<typeof signIn.login> =>
  async ({ body, caller, tx, inTenant }) => {
    const { email, password, tenantId } = body;

    const findMatches = async () => {
      const places = await tx.emailLookup.findMany({
        where: {
          emailHash: { in: emailHashes(email, tools.pepper) },
          ...(tenantId !== undefined && { ownerTenantId: tenantId }),
        },
        orderBy: { ownerTenantId: 'asc' },
        take: candidatesMax,
      });
      const tenantIds = places.length ? places.map(({ ownerTenantId }) => ownerTenantId) : [tenantOfNobody];
      const matches = [];
      const failed = [];
      for (const ownerTenantId of tenantIds) {
        const scope = { tenantId: ownerTenantId, environment: 'live' as const };
        const { user, role, tenant } = await inTenant(scope, ({ tx: own }) => findAccount(own, email));
        const isRight = await verifyPassword(user?.passwordHash, password);
        if (!user) continue;
        if (isRight && role && user.status === 'active' && tenant?.status === 'active')
          matches.push({ tenantId: ownerTenantId, user, role, tenant });
        else failed.push({ tenantId: ownerTenantId, userId: user.id });
      }
      if (matches.length) return matches;
      // Not awaited: only known addresses have something to record, and the answer must not take longer for them.
      for (const one of failed) tools.inBackground(() => recordFailedSignIn(inTenant, one.tenantId, one.userId));
      return undefined;
    };

    const matches = await tools.limiter.guard({ email, ip: caller.ip ?? '' }, findMatches);
    const [match, another] = matches ?? [];
    if (!match) throw fail('bad_credentials');
    if (another) throw failField('tenantId', 'Several tenants have a user with this address: say which one');

    return inTenant(
      { tenantId: match.tenantId, environment: 'live', actor: asActor(match.user) },
      async ({ tx: own, emit }) => {
        const { user, role, tenant } = match;
        const { session, tokens } = await openSession(own, { tenantId: match.tenantId, user, role, caller }, tools);
        // Not a change of the user: neither version nor updated_at moves.
        await own.sql`UPDATE "user" SET last_login_at = ${session.createdAt} WHERE id = ${user.id}`;
        emit(userLoggedIn, { data: { userId: user.id, sessionId: session.id }, record: session });
        return {
          ...tokens,
          user: { ...(await withTeams(own, user)), lastLoginAt: session.createdAt },
          tenant: asTenant(tenant),
        };
      },
    );
  };

/** The user of an address with role and tenant. Takes the same queries whether there is one or not. */
async function findAccount(tx: Tx, email: string) {
  const user = await tx.user.findFirst({ where: { email } });
  const role = await tx.role.findFirst({ where: { id: user?.roleId ?? 0 } });
  const tenant = await tx.tenant.findFirst({ where: {} });
  return { user, role, tenant };
}
