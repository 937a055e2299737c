import { type signIn, userLoggedIn } from '@tandem/identity-contract';
import { verifyPassword } from '@tandem/passwords';
import { fail, failField } from '@tandem/service';
import { asActor, type Handler, type Tools, type Tx } from '../../handler.ts';
import { asTenant } from '../tenants/tenant.ts';
import { emailHashes, withTeams } from '../users/user.ts';
import { recordFailedSignIn } from './record-failed-sign-in.ts';
import { openSession } from './session.ts';

// Sign-up does not verify addresses, so an attacker could create tenants with a victim's address, and each one adds a
// password check to every login. The oldest tenants are tried first; users in more tenants send tenantId.
const candidatesMax = 5;

// Unknown addresses are looked up in this tenant id, which is never assigned, so that response times do not reveal
// which addresses have an account.
const unassignedTenantId = 2 ** 24 - 1;

export const login =
  (tools: Tools): Handler<typeof signIn.login> =>
  async ({ body, caller, tx, inTenant }) => {
    const { email, password, tenantId } = body;

    const findMatches = async () => {
      const lookups = await tx.emailLookup.findMany({
        where: {
          emailHash: { in: emailHashes(email, tools.pepper) },
          ...(tenantId !== undefined && { ownerTenantId: tenantId }),
        },
        orderBy: { ownerTenantId: 'asc' },
        take: candidatesMax,
      });
      const tenantIds = lookups.length ? lookups.map(({ ownerTenantId }) => ownerTenantId) : [unassignedTenantId];
      const matches = [];
      const failed = [];
      for (const ownerTenantId of tenantIds) {
        const scope = { tenantId: ownerTenantId, environment: 'live' as const };
        const { user, role, tenant } = await inTenant(scope, ({ tx: tenantTx }) => findAccount(tenantTx, email));
        const isCorrect = await verifyPassword(user?.passwordHash, password);
        if (!user) continue;
        if (isCorrect && role && user.status === 'active' && tenant?.status === 'active')
          matches.push({ tenantId: ownerTenantId, user, role, tenant });
        else failed.push({ tenantId: ownerTenantId, userId: user.id });
      }
      if (matches.length) return matches;
      // Not awaited: only known addresses are recorded, and their response must not take longer.
      for (const one of failed) tools.inBackground(() => recordFailedSignIn(inTenant, one.tenantId, one.userId));
      return undefined;
    };

    const matches = await tools.limiter.guard({ email, ip: caller.ip ?? '' }, findMatches);
    const [match, another] = matches ?? [];
    if (!match) throw fail('bad_credentials');
    if (another) throw failField('tenantId', 'Is required: several tenants have a user with this e-mail address');

    return inTenant(
      { tenantId: match.tenantId, environment: 'live', actor: asActor(match.user) },
      async ({ tx: tenantTx, emit }) => {
        const { user, role, tenant } = match;
        const { session, tokens } = await openSession(
          tenantTx,
          { tenantId: match.tenantId, user, role, caller },
          tools,
        );
        // Does not touch version and updated_at.
        await tenantTx.sql`UPDATE "user" SET last_login_at = ${session.createdAt} WHERE id = ${user.id}`;
        emit(userLoggedIn, { data: { userId: user.id, sessionId: session.id }, record: session });
        return {
          ...tokens,
          user: { ...(await withTeams(tenantTx, user)), lastLoginAt: session.createdAt },
          tenant: asTenant(tenant),
        };
      },
    );
  };

/** User, role and tenant of an address. Runs the same queries whether or not the user exists. */
async function findAccount(tx: Tx, email: string) {
  const user = await tx.user.findFirst({ where: { email } });
  const role = await tx.role.findFirst({ where: { id: user?.roleId ?? 0 } });
  const tenant = await tx.tenant.findFirst({ where: {} });
  return { user, role, tenant };
}
