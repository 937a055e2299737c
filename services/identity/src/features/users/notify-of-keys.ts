import { allows } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import { type notificationCreated, recipientsMax } from '@tandem/identity-contract';
import { nameOf, type Tx } from '../../handler.ts';
import { whereStatus } from '../api-keys/api-key.ts';
import { notify } from '../notifications/notify.ts';

/** Notifies API key managers when a deactivated or suspended user has created keys that are still active. */
export async function notifyOfKeys(
  tx: Tx,
  emit: Emit<typeof notificationCreated>,
  user: { id: number; firstName: string; lastName: string },
): Promise<void> {
  const keys = await tx.apiKey.findMany({
    where: { createdBy: user.id, ...whereStatus('active') },
    select: { id: true, permissions: true },
  });
  if (!keys.length) return;
  const withoutRights = keys.filter(({ permissions }) => !permissions.length).length;
  await notify(tx, emit, {
    userIds: await keyManagers(tx, user.id),
    title: `${nameOf(user)} is no longer active and has ${keys.length} active API ${keys.length === 1 ? 'key' : 'keys'}`,
    body: `${keys.length - withoutRights} with their own permissions still work; ${withoutRights} with the permissions of the user no longer work. Rotate or revoke the keys that are no longer needed.`,
    category: 'api_keys',
    data: { keys: keys.length, withoutPermissions: withoutRights },
  });
}

/** Active users, except one, whose role allows managing API keys. */
async function keyManagers(tx: Tx, exceptId: number): Promise<number[]> {
  const roles = await tx.role.findMany({ select: { id: true, permissions: true } });
  const roleIds = roles.filter(({ permissions }) => allows(permissions, 'api_keys:manage')).map(({ id }) => id);
  const where = { status: 'active', roleId: { in: roleIds }, id: { not: exceptId } };
  const users = await tx.user.findMany({ where, select: { id: true }, orderBy: { id: 'asc' }, take: recipientsMax });
  return users.map(({ id }) => id);
}
