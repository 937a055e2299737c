import type { Caller } from '@tandem/caller';
import { actingUserId } from '@tandem/caller';
import { allows } from '@tandem/contract';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/**
 * Checks that the caller may access the preferences of a user: their own, or with a permission for all users.
 * @throws ApiError 404 for an unknown user, 403 without the permission
 */
export async function checkPreferredUser(
  tx: Tx,
  caller: Caller,
  { id, permission }: { id: number; permission: 'users:read' | 'users:write' },
): Promise<void> {
  const isOwn = id === actingUserId(caller);
  if (!isOwn && allows(caller.permissions, permission) !== 'all') throw fail('forbidden');
  const user = await tx.user.findFirst({ where: { id }, select: { id: true } });
  if (!user) throw fail('not_found');
}
