import type { Caller } from '@tandem/caller';
import { allows } from '@tandem/contract';
import type { Ownership } from '@tandem/tenant-db';

/** How far a permission goes: over all records of the tenant, over somebody's, or not at all. */
export type Reach = 'all' | Ownership | 'none';

/** How far a permission of the caller goes. Own and team records are those of the user who is acted for. */
export function reachOf(caller: Caller, permission: string): Reach {
  const reach = allows(caller.permissions, permission);
  if (!reach) return 'none';
  if (reach === 'all') return 'all';
  const userId = caller.onBehalfOf ?? caller.userId;
  if (userId === undefined) return 'none';
  return { userId, ...(reach === 'team' && { teamIds: caller.teamIds ?? [] }) };
}

/**
 * The caller as another service is told of them.
 * @param reach limits what that service finds to records within it; without it the service acts on all of the tenant
 */
export function asService(caller: Caller, reach: Reach = 'all'): Omit<Caller, 'type' | 'permissions'> {
  if (reach === 'none') throw new Error('A caller without the permission must be refused before others are asked');
  const { type, permissions, narrow, ...as } = caller;
  return reach === 'all' ? as : { ...as, narrow: reach };
}
