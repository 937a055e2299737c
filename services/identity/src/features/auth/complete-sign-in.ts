import type { Caller } from '@tandem/caller';
import type { Emit } from '@tandem/events';
import { userLoggedIn } from '@tandem/identity-contract';
import type { Role, Tenant, User } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { asTenant } from '../tenants/tenant.ts';
import { withTeams } from '../users/user.ts';
import { type Method, openSession } from './session.ts';

/** A user who may sign in, with role and tenant. */
export interface Account {
  user: User;
  role: Role;
  tenant: Tenant;
}

/**
 * Locks the user of a sign-in whose proof was checked before this transaction, and loads them again; undefined if the user
 * or the tenant is no longer active, or if the password was replaced since. Without the lock, a sign-in in flight would
 * survive a new password or a suspension, which end the sessions that they see.
 */
export async function lockAccount(
  tx: Tx,
  { id, passwordHash }: Pick<User, 'id' | 'passwordHash'>,
): Promise<Account | undefined> {
  await tx.sql`SELECT id FROM "user" WHERE id = ${id} FOR NO KEY UPDATE`;
  const account = await findAccount(tx, id);
  return account?.user.passwordHash === passwordHash ? account : undefined;
}

/** Opens the session of a user who has proven everything that is required, and whom `lockAccount` has locked. */
export async function completeSignIn(
  tx: Tx,
  emit: Emit<typeof userLoggedIn>,
  { account, caller, method }: { account: Account; caller: Caller; method: Method },
  tools: Tools,
) {
  const { user, role, tenant } = account;
  const { session, tokens } = await openSession(tx, { tenantId: tenant.tenantId, user, role, caller, method }, tools);
  // Does not touch version and updated_at.
  await tx.sql`UPDATE "user" SET last_login_at = ${session.createdAt} WHERE id = ${user.id}`;
  emit(userLoggedIn, { data: { userId: user.id, sessionId: session.id, method }, record: session });
  return {
    ...tokens,
    user: { ...(await withTeams(tx, user)), lastLoginAt: session.createdAt },
    tenant: asTenant(tenant),
  };
}

/** Loads a user who may sign in; undefined if user or tenant are not active. */
export async function findAccount(tx: Tx, userId: number): Promise<Account | undefined> {
  const row = await tx.user.findFirst({ where: { id: userId }, include: { role: true, tenant: true } });
  if (row?.status !== 'active' || row.tenant.status !== 'active') return undefined;
  const { role, tenant, ...user } = row;
  return { user, role, tenant };
}
