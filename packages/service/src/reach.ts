import type { Caller } from '@tandem/caller';
import { allows } from '@tandem/contract';
import type { Ownership } from '@tandem/tenant-db';

/** How far a permission reaches: all records of the tenant, own or team records, or none. */
export type Reach = 'all' | Ownership | 'none';

/**
 * How far a permission of the caller reaches. Own and team records are those of the user on whose behalf the call is
 * made.
 */
export function reachOf(caller: Caller, permission: string): Reach {
  const reach = allows(caller.permissions, permission);
  if (!reach) return 'none';
  if (reach === 'all') return 'all';
  const userId = caller.onBehalfOf ?? caller.userId;
  if (userId === undefined) return 'none';
  return { userId, ...(reach === 'team' && { teamIds: caller.teamIds ?? [] }) };
}

/**
 * The caller context for a call to an operation of another service that applies the caller's permissions itself, because
 * it reads records of its own resources only.
 */
export function withPermissions({ type, ...as }: Caller): Omit<Caller, 'type'> {
  return as;
}

/**
 * The caller context for a call to another service.
 * @param reach limits the records that the other service finds; by default the whole tenant
 */
export function asService(caller: Caller, reach: Reach = 'all'): Omit<Caller, 'type' | 'permissions' | 'features'> {
  if (reach === 'none') throw new Error('Reject a caller without the permission before calling other services');
  const { type, permissions, features, narrow, ...as } = caller;
  return reach === 'all' ? as : { ...as, narrow: reach };
}
