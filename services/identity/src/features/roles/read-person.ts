import { actingUserId, type Caller } from '@tandem/caller';
import { allows } from '@tandem/contract';
import { fail } from '@tandem/service';
import type { Role as RoleRow, User as UserRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

/**
 * Reads a user with their role, for their rights: oneself, or anybody with `users:read`.
 * @throws ApiError 403 without that permission, 404 for a user outside of its reach
 */
export async function readPerson(tx: Tx, caller: Caller, id: number): Promise<UserRow & { role: RoleRow }> {
  const isSelf = id === actingUserId(caller);
  const reach = allows(caller.permissions, 'users:read');
  if (!isSelf && !reach) throw fail('forbidden');
  const row = isSelf || reach === 'all' ? await tx.user.findFirst({ where: { id }, include: { role: true } }) : null;
  if (!row) throw fail('not_found');
  return row;
}
