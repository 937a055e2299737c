import type { Caller } from '@tandem/caller';
import { allows, plainPermissions } from '@tandem/contract';
import { fail } from '@tandem/service';
import { memberPermissions } from './features/roles/system-roles.ts';

const width = { own: 1, team: 2, all: 3 } as const;

/** Whether a set of permissions holds everything that one permission grants. */
export function covers(granted: readonly string[], wanted: string): boolean {
  if (granted.includes('*')) return true;
  const [resource, action, narrowing = 'all'] = wanted.split(':') as [
    string,
    string | undefined,
    keyof typeof width | undefined,
  ];
  if (action === undefined) return false;
  const reach = allows(granted, `${resource}:${action}`);
  if (!reach || width[reach] < width[narrowing]) return false;
  // `manage` reaches every action of its resource but this one, which `users:*` holds.
  return wanted !== 'users:*' || allows(granted, 'users:act_as') !== undefined;
}

/** The permissions that both sets grant, each limited to what both allow. */
export function intersection(one: readonly string[], other: readonly string[]): string[] {
  const [within, beyond] = [[], []] as [string[], string[]];
  for (const permission of one) (covers(other, permission) ? within : beyond).push(permission);
  if (!beyond.length) return within;
  const shared = plainPermissions.flatMap((permission) => {
    const [first, second] = [allows(beyond, permission), allows(other, permission)];
    if (!first || !second) return [];
    const reach = width[first] < width[second] ? first : second;
    return [reach === 'all' ? permission : `${permission}:${reach}`];
  });
  return [...within, ...shared];
}

/** Refuses to hand out what the caller does not have: nobody rises by making a key or a role. */
export function checkCeiling(caller: Caller, wanted: readonly string[]): void {
  if (!wanted.every((one) => covers(caller.permissions, one))) throw fail('forbidden');
}

/**
 * Refuses power over somebody who stands above the caller. Who may write users has it over members, whatever else
 * that permission came with.
 */
export function checkRank(caller: Caller, rolePermissions: readonly string[]): void {
  const granted = [...caller.permissions, ...memberPermissions];
  if (!rolePermissions.every((one) => covers(granted, one))) throw fail('forbidden');
}
