import { allows } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import { type notificationCreated, recipientsMax } from '@tandem/identity-contract';
import { nameOf, type Tx } from '../../handler.ts';
import { notify } from '../notifications/notify.ts';

/** Notifies API key managers of keys that a user who left still has, because no successor could take them over. */
export async function notifyOfKeys(
  tx: Tx,
  emit: Emit<typeof notificationCreated>,
  user: { id: number; firstName: string; lastName: string },
  keys: number,
): Promise<void> {
  await notify(tx, emit, {
    userIds: await keyManagers(tx, user.id),
    title: {
      en: `${nameOf(user)} is no longer active and still has ${keys} active API ${keys === 1 ? 'key' : 'keys'}`,
      de: `${nameOf(user)} ist nicht mehr aktiv und hat noch ${keys} ${keys === 1 ? 'aktiven' : 'aktive'} API-Schlüssel`,
    },
    body: {
      en: 'They may do nothing, because the successor has none of their permissions. Revoke them and create new ones where they are needed.',
      de: 'Sie sind wirkungslos, weil die Nachfolge keine ihrer Berechtigungen hat. Widerrufen Sie sie, und erstellen Sie neue, wo sie gebraucht werden.',
    },
    category: 'api_keys',
    priority: 'high',
    data: { keys },
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
