import { setTimeout } from 'node:timers/promises';
import type { signIn } from '@tandem/identity-contract';
import { verifyPassword } from '@tandem/passwords';
import { type Context, fail, failField } from '@tandem/service';
import { asActor, type Handler, type Tools, type Tx } from '../../handler.ts';
import { mustUseSso } from '../sso/connection.ts';
import { challengeFor } from './challenge.ts';
import { completeSignIn, lockAccount } from './complete-sign-in.ts';
import { recordFailedSignIn } from './record-failed-sign-in.ts';
import { tenantsOfAddress } from './tenants-of-address.ts';

// Unknown addresses are looked up in this tenant id, which is never assigned, so that response times do not reveal
// which addresses have an account.
const unassignedTenantId = 2 ** 24 - 1;

type SignIn = Pick<Context<typeof signIn.login, Tx>, 'body' | 'caller' | 'tx' | 'inTenant'>;

// Each tenant of an address costs a password check of about 30 ms. A refusal takes longer than the checks of five, so that
// its time does not reveal how many tenants an address has.
const failureMs = 400;

export const login =
  (tools: Tools): Handler<typeof signIn.login> =>
  (context) =>
    signInByPassword(context, tools);

/** Signs a user in by e-mail address and password. */
export async function signInByPassword({ body, caller, tx, inTenant }: SignIn, tools: Tools) {
  const { email, password, tenantId } = body;

  const findMatches = async () => {
    const startedAt = performance.now();
    const known = await tenantsOfAddress(tx, { email, tenantId }, tools);
    const tenantIds = known.length ? known : [unassignedTenantId];
    const matches = [];
    let isSuspended = false;
    const failed = [];
    for (const ownerTenantId of tenantIds) {
      const scope = { tenantId: ownerTenantId, environment: 'live' as const };
      const { user, role, tenant } = await inTenant(scope, ({ tx: tenantTx }) => findAccount(tenantTx, email));
      const isCorrect = await verifyPassword(user?.passwordHash, password);
      if (!user) continue;
      if (isCorrect && role && user.status === 'active' && tenant?.status === 'active')
        matches.push({ tenantId: ownerTenantId, user, role, tenant });
      else if (isCorrect && user.status === 'active' && tenant?.status === 'suspended') isSuspended = true;
      else failed.push({ tenantId: ownerTenantId, userId: user.id });
    }
    if (matches.length) return matches;
    // Only somebody who knows the password learns it.
    if (isSuspended) throw fail('tenant_suspended');
    await setTimeout(Math.max(0, failureMs - (performance.now() - startedAt)));
    // Not awaited: only known addresses are recorded, and their response must not take longer.
    for (const one of failed) tools.inBackground(() => recordFailedSignIn(inTenant, one.tenantId, one.userId));
    return undefined;
  };

  const matches = await tools.limiter.guard({ email, ip: caller.ip ?? '' }, findMatches);
  const [match, another] = matches ?? [];
  if (!match) throw fail('bad_credentials');
  if (another) throw failField('tenantId', 'Is required: several tenants have a user with this e-mail address');

  const signedIn = await inTenant(
    { tenantId: match.tenantId, environment: 'live', actor: asActor(match.user) },
    async ({ tx: tenantTx, emit }) => {
      const account = await lockAccount(tenantTx, match.user);
      if (!account) throw fail('bad_credentials');
      if (await mustUseSso(tenantTx, account)) return undefined;
      const challenge = await challengeFor(tenantTx, account, tools.seal);
      return challenge ?? completeSignIn(tenantTx, emit, { account, caller, method: 'password' }, tools);
    },
  );
  if (signedIn) return signedIn;
  tools.inBackground(() => recordFailedSignIn(inTenant, match.tenantId, match.user.id));
  throw fail('sso_required');
}

/** User, role and tenant of an address. Runs the same queries whether or not the user exists. */
async function findAccount(tx: Tx, email: string) {
  const user = await tx.user.findFirst({ where: { email } });
  const role = await tx.role.findFirst({ where: { id: user?.roleId ?? 0 } });
  const tenant = await tx.tenant.findFirst({ where: {} });
  return { user, role, tenant };
}
