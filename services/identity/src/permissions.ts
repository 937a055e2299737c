import type { Caller } from '@tandem/caller';
import { allows, plainPermissions, teamResources } from '@tandem/contract';
import { fail } from '@tandem/service';

const reachRank = { own: 1, team: 2, all: 3 } as const;

/** Whether a set of permissions includes everything that one permission grants. */
export function covers(granted: readonly string[], wanted: string): boolean {
  if (granted.includes('*')) return true;
  const [resource, action, narrowing = 'all'] = wanted.split(':') as [
    string,
    string | undefined,
    keyof typeof reachRank | undefined,
  ];
  if (action === undefined) return false;
  const reach = allows(granted, `${resource}:${action}`);
  if (!reach || reachRank[reach] < reachRank[narrowing]) return false;
  if (resource !== 'users' || action !== '*') return true;
  // `users:*` includes `users:act_as`, which `users:manage` does not.
  const actAs = allows(granted, 'users:act_as');
  return actAs !== undefined && reachRank[actAs] >= reachRank[narrowing];
}

/** Intersection of two permission sets, with each permission at the narrower of the two reaches. */
export function intersection(one: readonly string[], other: readonly string[]): string[] {
  const [covered, uncovered] = [[], []] as [string[], string[]];
  for (const permission of one) (covers(other, permission) ? covered : uncovered).push(permission);
  if (!uncovered.length) return covered;
  const shared = plainPermissions.flatMap((permission) => {
    const [first, second] = [allows(uncovered, permission), allows(other, permission)];
    if (!first || !second) return [];
    const reach = reachRank[first] < reachRank[second] ? first : second;
    return [reach === 'all' ? permission : `${permission}:${reach}`];
  });
  return [...covered, ...shared];
}

/**
 * Rejects permissions that the caller does not have, so that creating a key or a role cannot escalate privileges. The
 * errors name the permissions of the request by their position in `permissions`.
 */
export function checkCeiling(caller: Caller, wanted: readonly string[]): void {
  const errors = wanted.flatMap((permission, index) =>
    covers(caller.permissions, permission)
      ? []
      : [{ field: `permissions.${index}`, message: `You do not have ${permission}, so you cannot grant it` }],
  );
  if (errors.length) throw fail('forbidden', errors);
  if (mayAssign(caller.permissions, wanted)) return;
  const message =
    'Your permissions are limited to team records, so you cannot grant teams:write, teams:delete or users:write without this limit';
  throw fail('forbidden', [{ field: 'permissions', message }]);
}

/** Whether somebody with these permissions may assign a role, or change users with it. */
export function mayAssign(own: readonly string[], rolePermissions: readonly string[]): boolean {
  // Whoever is limited to team records may change the members of their own teams only. A role without this limit would undo it.
  const exceedsTeams =
    isLimitedToTeams(own) &&
    !isLimitedToTeams(rolePermissions) &&
    membershipPermissions.some(isHeldBy(rolePermissions));
  return !exceedsTeams && rolePermissions.every((one) => covers(own, one));
}

// With these, users are put into teams or removed from them.
const membershipPermissions = ['teams:write', 'teams:delete', 'users:write'];
const isHeldBy = (granted: readonly string[]) => (permission: string) => allows(granted, permission) === 'all';

/** Rejects giving somebody a role that has permissions that the caller lacks. */
export function checkMayAssign(caller: Caller, rolePermissions: readonly string[], field = 'roleId'): void {
  if (mayAssign(caller.permissions, rolePermissions)) return;
  const message = 'The role has permissions that you do not have; choose another role';
  throw fail('forbidden', [{ field, message }]);
}

/**
 * Rejects changing records whose permissions the caller lacks, such as users: whoever sets the password or the address of
 * a user can sign in as this user.
 */
export function checkRank(caller: Caller, permissions: readonly string[], noun = 'user'): void {
  if (mayAssign(caller.permissions, permissions)) return;
  const message = `The ${noun} has permissions that you do not have; ask somebody who has them`;
  throw fail('forbidden', [{ field: 'id', message }]);
}

/**
 * Rejects setting a field for somebody without `users:manage` for all users. The contract requires the permission too, but
 * admits those who have it for their own record only.
 */
export function checkManagesUsers(caller: Caller, field: 'roleId' | 'email'): void {
  if (allows(caller.permissions, 'users:manage') === 'all') return;
  throw fail('forbidden', [{ field, message: 'Requires the permission users:manage for all users' }]);
}

/** Whether team records are all that some permission on records of teams covers. */
export function isLimitedToTeams(permissions: readonly string[]): boolean {
  return plainPermissions.some((permission) => isOfTeams(permission) && allows(permissions, permission) === 'team');
}

function isOfTeams(permission: string): boolean {
  return teamResources.includes(permission.split(':')[0] as string);
}
