import { allows } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import { type notificationCreated, recipientsMax } from '@tandem/identity-contract';
import type { Tx } from '../../handler.ts';
import { type Notice, notify } from '../notifications/notify.ts';

/** Active users whose role manages billing. */
export async function billingPeople(tx: Tx): Promise<number[]> {
  const roles = await tx.role.findMany({ select: { id: true, permissions: true } });
  const roleIds = roles.filter(({ permissions }) => allows(permissions, 'billing:manage')).map(({ id }) => id);
  const where = { status: 'active', roleId: { in: roleIds } };
  const users = await tx.user.findMany({ where, select: { id: true }, orderBy: { id: 'asc' }, take: recipientsMax });
  return users.map(({ id }) => id);
}

/** Notifies everybody who manages billing. */
export async function notifyBilling(
  tx: Tx,
  emit: Emit<typeof notificationCreated>,
  notice: Pick<Notice, 'title' | 'body' | 'data'>,
): Promise<void> {
  await notify(tx, emit, {
    ...notice,
    userIds: await billingPeople(tx),
    category: 'billing',
    channels: ['in_app', 'email'],
  });
}
