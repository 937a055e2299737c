import type { Caller } from '@tandem/caller';
import { allows, plainPermissions } from '@tandem/contract';
import { fail } from '@tandem/service';
import { memberPermissions } from './features/roles/system-roles.ts';

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
  // `users:*` includes `users:act_as`, which `users:manage` does not.
  return wanted !== 'users:*' || allows(granted, 'users:act_as') !== undefined;
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
  if (!wanted.every((one) => covers(caller.permissions, one))) throw fail('forbidden');
}

/**
 * Rejects changes to users whose role has permissions that the caller lacks. Member permissions are always allowed, so
 * any caller with `users:write` can manage members.
 */
export function checkRank(caller: Caller, rolePermissions: readonly string[]): void {
  const granted = [...caller.permissions, ...memberPermissions];
  if (!rolePermissions.every((one) => covers(granted, one))) throw fail('forbidden');
}
