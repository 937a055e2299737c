import type { Pepper } from '@tandem/api-keys';
import type { Caller } from '@tandem/caller';
import { actingUserId } from '@tandem/caller';
import { allows, unknownId } from '@tandem/contract';
import { User, userStates, type userStatuses } from '@tandem/identity-contract';
import { fail, failField, transitionError } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Role as RoleRow, User as UserRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { defaultRole, ownerRole } from '../roles/system-roles.ts';
import { teamIdsOf } from '../teams/members.ts';

export type UserRecord = z.output<typeof User>;
export type UserStatus = (typeof userStatuses)[number];

const columns = User.pick({ status: true });

/**
 * Converts a row to the API resource. Response encoding drops fields outside the contract, such as the password hash.
 */
export function asUser(row: UserRow, teamIds: readonly number[]): UserRecord {
  const checked = columns.parse(row);
  return {
    ...row,
    ...checked,
    emailVerified: row.emailVerifiedAt !== null,
    teamIds: [...teamIds],
    allowedTransitions: userStates.next(checked.status),
  };
}

/** Converts rows to API resources with their current teams. */
export async function asUsers(tx: Tx, rows: readonly UserRow[]): Promise<UserRecord[]> {
  const teams = await teamIdsOf(
    tx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => asUser(row, teams.get(row.id) ?? []));
}

/** Converts one row to the API resource with its current teams. */
export async function withTeams(tx: Tx, row: UserRow): Promise<UserRecord> {
  const [user] = await asUsers(tx, [row]);
  return user as UserRecord;
}

/** Rejects status transitions that are not in the state table. */
export function checkTransition(from: string, to: UserStatus): void {
  const allowed = userStates.next(columns.shape.status.parse(from));
  if (allowed.includes(to)) return;
  throw fail('transition_refused', [transitionError(from, allowed)]);
}

/** Lookup row from an address to a tenant. It holds a hash, because the table is not protected per tenant. */
export function emailLookupRow(
  { email, ownerTenantId, isProven }: { email: string; ownerTenantId: number; isProven: boolean },
  pepper: Pepper,
) {
  return { emailHash: pepper.hash(hashedEmail(email)), pepper: pepper.id, ownerTenantId, isProven };
}

/** Hashes under which an address may be stored, the current one first. */
export function emailHashes(email: string, pepper: Pepper): [current: string, ...previous: string[]] {
  const text = hashedEmail(email);
  return [pepper.hash(text), ...pepper.previous(text)];
}

/** Moves the lookup row of a user to another address. */
export async function moveAddress(
  tx: Tx,
  { tenantId, from, to, isProven }: { tenantId: number; from: string; to: string; isProven: boolean },
  pepper: Pepper,
): Promise<void> {
  await tx.emailLookup.deleteMany({ where: { emailHash: { in: emailHashes(from, pepper) }, ownerTenantId: tenantId } });
  await tx.emailLookup.create({ data: emailLookupRow({ email: to, ownerTenantId: tenantId, isProven }, pepper) });
}

/** Marks the address of a user as proven, so that sign-in tries this tenant before tenants that only claim the address. */
export async function markAddressProven(
  tx: Tx,
  { tenantId, email }: { tenantId: number; email: string },
  pepper: Pepper,
): Promise<void> {
  await tx.emailLookup.updateMany({
    where: { emailHash: { in: emailHashes(email, pepper) }, ownerTenantId: tenantId },
    data: { isProven: true },
  });
}

/** The error for an address that another user of the tenant has. */
export function emailTaken(field = 'email') {
  return fail('email_taken', [{ field, message: 'Must be unique; another user has this e-mail address' }]);
}

/** The prefix separates address hashes from API key hashes. */
function hashedEmail(email: string): string {
  return `email ${email}`;
}

/** Filter for visible users: callers limited to their own records see only themselves. */
export function visibleTo(caller: Caller, permission: 'users:read' | 'users:write'): { id?: number } {
  // A service has the reach that it names; the permissions of its own are for other operations.
  const reach = caller.narrow ?? (caller.type === 'system' ? 'all' : allows(caller.permissions, permission));
  const id = actingUserId(caller);
  return reach === 'all' || id === undefined ? {} : { id };
}

/** Loads a user and their role, with a row lock on the user. */
export async function lockUser(tx: Tx, where: { id: number }): Promise<UserRow & { role: RoleRow }> {
  await tx.sql`SELECT id FROM "user" WHERE id = ${where.id} FOR UPDATE`;
  const row = await tx.user.findFirst({ where, include: { role: true } });
  if (!row) throw fail('not_found');
  return row;
}

/** Writes changes to a locked user as the next version. */
export async function writeUser(tx: Tx, id: number, values: object): Promise<UserRow> {
  const [row] = await tx.user
    .updateManyAndReturn({ where: { id }, data: { ...values, version: { increment: 1 } } })
    .catch((error: unknown) => {
      throw isTaken(error) ? emailTaken() : error;
    });
  if (!row) throw fail('not_found');
  return row;
}

/** Loads a role to assign, with a shared lock that prevents deleting it before the commit. */
export async function assignableRole(tx: Tx, id: number): Promise<RoleRow> {
  const role = await tx.role.findFirst({ where: { id } });
  if (!role) throw failField('roleId', unknownId('role'));
  const [locked] = await tx.sql`SELECT id FROM role WHERE id = ${id} FOR KEY SHARE`;
  if (!locked)
    throw fail('conflict', [{ field: 'roleId', message: 'The role was deleted in the meantime; use another role' }]);
  return role;
}

/** The role of a new user: the given one, else the role member. */
export async function roleOfNewUser(tx: Tx, roleId: number | undefined): Promise<RoleRow> {
  if (roleId !== undefined) return assignableRole(tx, roleId);
  const role = await tx.role.findFirst({ where: { name: defaultRole, isSystem: true } });
  if (!role) throw fail('not_found');
  return role;
}

/** Prevents users from changing their own role, including through their keys that act on behalf of another user. */
export function checkNotOwnRole(caller: Caller, userId: number): void {
  if (userId === actingUserId(caller) || userId === caller.userId)
    throw fail('forbidden', [{ field: 'roleId', message: 'Is your own role; ask another administrator to change it' }]);
}

/** Rejects removing the last active owner. The lock on the role serializes concurrent attempts. */
export async function checkOwnerRemains(tx: Tx, user: { id: number; status: string; role: RoleRow }): Promise<void> {
  if (!isOwner(user.role) || user.status !== 'active') return;
  await tx.sql`SELECT id FROM role WHERE id = ${user.role.id} FOR NO KEY UPDATE`;
  const others = await tx.user.count({ where: { roleId: user.role.id, status: 'active', id: { not: user.id } } });
  if (!others) throw fail('last_owner');
}

/** Whether a role is that of the owner. */
export function isOwner(role: RoleRow): boolean {
  return role.isSystem && role.name === ownerRole;
}
