import type { Pepper } from '@tandem/api-keys';
import type { Caller } from '@tandem/caller';
import { actingUserId } from '@tandem/caller';
import { allows, unknownId } from '@tandem/contract';
import type { User, userStatuses } from '@tandem/identity-contract';
import { fail, failField } from '@tandem/service';
import type { z } from 'zod';
import type { Role as RoleRow, User as UserRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { ownerRole } from '../roles/system-roles.ts';
import { teamIdsOf } from '../teams/members.ts';

export type UserRecord = z.output<typeof User>;
export type UserStatus = (typeof userStatuses)[number];

const transitions: Record<UserStatus, readonly UserStatus[]> = {
  active: ['suspended', 'deactivated'],
  suspended: ['active', 'deactivated'],
  deactivated: ['active'],
};

/** A row as the contract shows it; what the contract does not name, such as the password's hash, is dropped on the way out. */
export function asUser(row: UserRow, teamIds: readonly number[]): UserRecord {
  const allowedTransitions = [...transitions[row.status as UserStatus]];
  return { ...(row as unknown as UserRecord), teamIds: [...teamIds], allowedTransitions };
}

/** Rows as the contract shows them, with the teams they are in now. */
export async function asUsers(tx: Tx, rows: readonly UserRow[]): Promise<UserRecord[]> {
  const teams = await teamIdsOf(
    tx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => asUser(row, teams.get(row.id) ?? []));
}

/** One row as the contract shows it, with the teams the user is in now. */
export async function withTeams(tx: Tx, row: UserRow): Promise<UserRecord> {
  const [user] = await asUsers(tx, [row]);
  return user as UserRecord;
}

/** Refuses a move between statuses that the state table does not have. */
export function checkTransition(from: string, to: UserStatus): void {
  const allowed = transitions[from as UserStatus];
  if (allowed.includes(to)) return;
  throw fail('transition_refused', [
    { field: 'status', message: `From ${from} a user can move to ${allowed.join(', ')}` },
  ]);
}

/** The row that leads from an address to a tenant. The table belongs to no tenant, so it holds hashes instead of addresses. */
export function emailPlace(email: string, ownerTenantId: number, pepper: Pepper) {
  return { emailHash: pepper.hash(hashedEmail(email)), pepper: pepper.id, ownerTenantId };
}

/** The hashes that an address may be stored under, the current one first. */
export function emailHashes(email: string, pepper: Pepper): [current: string, ...previous: string[]] {
  const text = hashedEmail(email);
  return [pepper.hash(text), ...pepper.previous(text)];
}

/** The prefix keeps hashes of addresses apart from those of API keys. */
function hashedEmail(email: string): string {
  return `email ${email}`;
}

/** What a caller narrowed to their own records sees of users: themselves. */
export function visibleTo(caller: Caller, permission: 'users:read' | 'users:write'): { id?: number } {
  const reach = allows(caller.permissions, permission);
  const id = actingUserId(caller);
  return reach === 'all' || id === undefined ? {} : { id };
}

/** The user under lock, with their role. */
export async function lockUser(tx: Tx, where: { id: number }): Promise<UserRow & { role: RoleRow }> {
  await tx.sql`SELECT id FROM "user" WHERE id = ${where.id} FOR UPDATE`;
  const row = await tx.user.findFirst({ where, include: { role: true } });
  if (!row) throw fail('not_found');
  return row;
}

/**
 * The role that a body names, under a lock that keeps it from being deleted while it is assigned. Several assignments
 * hold the lock at once.
 */
export async function assignableRole(tx: Tx, id: number): Promise<RoleRow> {
  const role = await tx.role.findFirst({ where: { id } });
  if (!role) throw failField('roleId', unknownId('role'));
  const [locked] = await tx.sql`SELECT id FROM role WHERE id = ${id} FOR KEY SHARE`;
  if (!locked)
    throw fail('conflict', [{ field: 'roleId', message: 'The role was deleted meanwhile; name another one' }]);
  return role;
}

/** Refuses to let anybody change their own role, also by a key of theirs that acts for somebody else. */
export function checkNotOwnRole(caller: Caller, userId: number): void {
  if (userId === actingUserId(caller) || userId === caller.userId) throw fail('forbidden');
}

/** Refuses to take an active owner away when there is no other one. Those who try at once do it one after the other. */
export async function checkOwnerRemains(tx: Tx, user: { id: number; status: string; role: RoleRow }): Promise<void> {
  if (!isOwner(user.role) || user.status !== 'active') return;
  await tx.sql`SELECT id FROM role WHERE id = ${user.role.id} FOR NO KEY UPDATE`;
  const others = await tx.user.count({ where: { roleId: user.role.id, status: 'active', id: { not: user.id } } });
  if (!others) throw fail('last_owner');
}

function isOwner(role: RoleRow): boolean {
  return role.isSystem && role.name === ownerRole;
}
