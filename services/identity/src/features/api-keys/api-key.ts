import { keyPrefix, createApiKey as makeKey, type Pepper } from '@tandem/api-keys';
import type { Caller } from '@tandem/caller';
import { ApiKey } from '@tandem/identity-contract';
import { fail, failField } from '@tandem/service';
import type { z } from 'zod';
import type { ApiKey as KeyRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { checkCeiling, checkRank, intersection, mayAssign } from '../../permissions.ts';
import { checkAccountReach } from '../teams/reach.ts';

export type KeyRecord = z.output<typeof ApiKey>;

/** Converts a row to the API resource. */
export function asApiKey(row: KeyRow): KeyRecord {
  const environment = ApiKey.shape.environment.parse(row.keyEnvironment);
  return { ...row, environment, keyPrefix: keyPrefix(environment), status: statusOf(row), ownerId: ownerOf(row) };
}

/** The user whose role limits the key. */
export function ownerOf({ ownerId, createdBy }: Pick<KeyRow, 'ownerId' | 'createdBy'>): number {
  return ownerId ?? createdBy;
}

/** Filter condition for the keys that belong to a user. */
export function whereOwner(userId: number): Record<string, unknown> {
  return { OR: [{ ownerId: userId }, { ownerId: null, createdBy: userId }] };
}

function statusOf({ revokedAt, expiresAt }: Pick<KeyRow, 'revokedAt' | 'expiresAt'>): KeyRecord['status'] {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt <= new Date() ? 'expired' : 'active';
}

/** Filter condition for keys in this status. */
export function whereStatus(status: KeyRecord['status']): object {
  const now = new Date();
  if (status === 'revoked') return { revokedAt: { not: null } };
  if (status === 'expired') return { revokedAt: null, expiresAt: { lte: now } };
  return { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
}

/** Loads a key with a row lock. */
export async function lockKey(tx: Tx, id: number): Promise<KeyRow> {
  const row = await tx.apiKey.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** Rejects changes to a revoked or expired key. */
export function checkActive(row: KeyRow): void {
  if (statusOf(row) !== 'active') throw fail('key_not_active');
}

/**
 * What a key may do now: its own permissions within the role of its owner, or all of that role if it has none. Nothing
 * while the owner is not active.
 */
export function keyPermissions(
  own: readonly string[],
  { status, role }: { status: string; role: { permissions: string[] } },
): string[] {
  if (status !== 'active') return [];
  return own.length ? intersection(own, role.permissions) : role.permissions;
}

type OwnedKey = { permissions: string[] } & Pick<KeyRow, 'ownerId' | 'createdBy'>;

/** The key's own permissions or, if it has none, the current permissions of its owner's role. */
async function effectivePermissions(tx: Tx, key: OwnedKey): Promise<string[]> {
  if (key.permissions.length) return key.permissions;
  const owner = await tx.user.findFirst({ where: { id: ownerOf(key) }, include: { role: true } });
  return owner?.role.permissions ?? [];
}

/** Rejects permissions of a request that exceed the caller's; without any, those of the owner's role count. */
export async function checkKeyCeiling(tx: Tx, caller: Caller, wanted: OwnedKey): Promise<void> {
  if (wanted.permissions.length) return checkCeiling(caller, wanted.permissions);
  if (mayAssign(caller.permissions, await effectivePermissions(tx, wanted))) return;
  const message =
    'Without permissions, the key has those of its owner, which exceed yours; list the permissions it needs';
  throw fail('forbidden', [{ field: 'permissions', message }]);
}

/** Rejects changes to a key whose effective permissions or teams exceed the caller's. */
export async function checkKeyRank(tx: Tx, caller: Caller, key: OwnedKey): Promise<void> {
  await checkKeyReach(tx, caller, ownerOf(key));
  checkRank(caller, await effectivePermissions(tx, key), 'key');
}

/**
 * The permissions to store for a key that the caller creates or changes. A key without permissions follows the role of its
 * owner, so only the owner may have one: anybody else would gain rights when the owner is promoted, and gets a key that is
 * fixed at what the owner may do now. So does a key of the owner that has permissions of its own.
 */
export async function permissionsToStore(tx: Tx, caller: Caller, key: OwnedKey): Promise<string[]> {
  if (key.permissions.length || (await followsRoleOf(tx, caller, ownerOf(key)))) return key.permissions;
  const permissions = await effectivePermissions(tx, key);
  // Stored as an empty list, no rights would mean all rights of the owner.
  if (!permissions.length)
    throw fail('forbidden', [{ field: 'permissions', message: 'The owner of the key has no permissions; list some' }]);
  return permissions;
}

async function followsRoleOf(tx: Tx, { type, userId, keyId }: Caller, ownerId: number): Promise<boolean> {
  if (userId !== ownerId) return false;
  if (type !== 'key' || keyId === undefined) return true;
  const own = await tx.apiKey.findFirst({ where: { id: keyId }, select: { permissions: true } });
  return own !== null && !own.permissions.length;
}

/**
 * Rejects a key of somebody who is in other teams than the caller's own user, if the caller is limited to team records.
 * Acting on behalf of somebody does not help: the key would reach the records of their teams without that.
 */
export async function checkKeyReach(tx: Tx, caller: Caller, ownerId: number): Promise<void> {
  const { userId } = caller;
  if (userId === undefined || userId === ownerId) return;
  const own = await tx.teamMember.findMany({ where: { userId }, select: { teamId: true } });
  await checkAccountReach(tx, { ...caller, teamIds: own.map(({ teamId }) => teamId) }, ownerId);
}

export function checkExpiry(expiresAt: Date | null | undefined): void {
  if (expiresAt && expiresAt <= new Date()) throw failField('expiresAt', 'Must be in the future');
}

type NewKey = Pick<KeyRow, 'name' | 'permissions' | 'allowedIps' | 'expiresAt' | 'createdBy' | 'ownerId'> & {
  environment: KeyRecord['environment'];
  rotatedFrom?: number;
};

/** Creates a key and stores only its hash; the plain key is only in the return value. */
export async function storeKey(
  tx: Tx,
  { environment, ...fields }: NewKey,
  pepper: Pepper,
): Promise<KeyRecord & { fullKey: string }> {
  const { key, last4 } = makeKey(environment);
  const hash = pepper.hash(key);
  const row = await tx.apiKey.create({ data: { ...fields, keyEnvironment: environment, hash, last4 } });
  await tx.keyLookup.create({ data: { hash, pepper: pepper.id, ownerTenantId: row.tenantId, keyId: row.id } });
  return { ...asApiKey(row), fullKey: key };
}
