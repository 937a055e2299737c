import type { Emit } from '@tandem/events';
import { apiKeyHandedOver } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Role as RoleRow, User as UserRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { intersection } from '../../permissions.ts';
import { asApiKey, keyPermissions, whereOwner, whereStatus } from './api-key.ts';

type Person = UserRow & { role: RoleRow };

/**
 * Gives the active keys of an active user who is about to leave to a successor. The permissions of each key are fixed at
 * what it may do now, so that a successor with more rights does not widen it. A key stays, and may do nothing, if it has
 * no right that the successor has.
 * @returns the ids of the keys that moved, and the number of those that stay
 */
export async function handOverKeys(
  tx: Tx,
  emit: Emit<typeof apiKeyHandedOver>,
  { from, to }: { from: Person; to: Person },
): Promise<{ moved: number[]; left: number }> {
  const keys = await tx.apiKey.findMany({
    where: { AND: [whereOwner(from.id), whereStatus('active')] },
    orderBy: { id: 'asc' },
  });
  const moved: number[] = [];
  for (const before of keys) {
    const permissions = keyPermissions(before.permissions, { status: 'active', role: from.role });
    // An empty list would mean all permissions of the successor.
    if (!intersection(permissions, to.role.permissions).length) continue;
    const [row] = await tx.apiKey.updateManyAndReturn({
      where: { id: before.id },
      data: { ownerId: to.id, permissions, version: { increment: 1 } },
    });
    if (!row) throw fail('not_found');
    moved.push(row.id);
    emit(apiKeyHandedOver, {
      data: { keyId: row.id, from: from.id, to: to.id },
      record: asApiKey(row),
      changes: {
        ownerId: { from: from.id, to: to.id },
        permissions: { from: before.permissions, to: permissions },
      },
    });
  }
  return { moved, left: keys.length - moved.length };
}

/** The number of active keys of a user. */
export function countKeys(tx: Tx, userId: number): Promise<number> {
  return tx.apiKey.count({ where: { AND: [whereOwner(userId), whereStatus('active')] } });
}
