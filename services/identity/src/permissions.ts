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

/** Rejects permissions that the caller does not have, so that creating a key or a role cannot escalate privileges. */
export function checkCeiling(caller: Caller, wanted: readonly string[]): void {
  if (!mayAssign(caller.permissions, wanted)) throw fail('forbidden');
}

/** Whether somebody with these permissions may assign a role, or change users with it. */
export function mayAssign(own: readonly string[], rolePermissions: readonly string[]): boolean {
  // Whoever is limited to team records may add members to their own teams only. A role without this limit would undo it.
  const exceedsTeams =
    isLimitedToTeams(own) &&
    !isLimitedToTeams(rolePermissions) &&
    membershipPermissions.some(isHeldBy(rolePermissions));
  return !exceedsTeams && rolePermissions.every((one) => covers(own, one));
}

// With these, users are put into teams.
const membershipPermissions = ['teams:write', 'users:write'];
const isHeldBy = (granted: readonly string[]) => (permission: string) => allows(granted, permission) === 'all';

/**
 * Rejects giving somebody a role, or changing users with a role, that has permissions that the caller lacks: whoever sets
 * the password or the address of a user can sign in as this user.
 */
export function checkRank(caller: Caller, rolePermissions: readonly string[]): void {
  checkCeiling(caller, rolePermissions);
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
