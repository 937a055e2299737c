import { allows, grantOf, plainPermissions, teamResources } from '@tandem/contract';
import type { Reach as ReachSchema } from '@tandem/identity-contract';
import type { z } from 'zod';
import { covers } from '../../permissions.ts';

type Reach = z.output<typeof ReachSchema>;

/** A right: how far it reaches, and the granted permission that it comes from. */
interface Right {
  reach: Reach;
  grantedBy: string;
}

/**
 * The right to a permission within a set; undefined without it. A wanted permission without `:own` or `:team` is allowed
 * at any reach.
 */
export function rightTo(granted: readonly string[], permission: string): Right | undefined {
  if (permission === '*') return covers(granted, '*') ? { reach: 'all', grantedBy: '*' } : undefined;
  const found = grantOf(granted, permission);
  if (!found) return undefined;
  const isExact = permission.split(':').length > 2 || permission === 'users:*';
  if (isExact && !covers(granted, permission)) return undefined;
  return { reach: reachInLists(permission, found.reach), grantedBy: found.grant };
}

/** All rights within a set, by permission. */
export function rightsOf(granted: readonly string[]): (Right & { permission: string })[] {
  return plainPermissions.flatMap((permission) => {
    const right = allows(granted, permission) && rightTo(granted, permission);
    return right ? [{ permission, ...right }] : [];
  });
}

/** The reach that lists apply: for resources without teams, `team` means `own`. */
function reachInLists(permission: string, reach: Reach): Reach {
  const [resource = ''] = permission.split(':');
  return reach === 'team' && !teamResources.includes(resource) ? 'own' : reach;
}
