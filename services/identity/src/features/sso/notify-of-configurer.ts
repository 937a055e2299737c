import { allows } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import { type notificationCreated, recipientsMax } from '@tandem/identity-contract';
import { nameOf, type Tx } from '../../handler.ts';
import { notify } from '../notifications/notify.ts';

/**
 * Tells those who may set up single sign-on that the user who did so is no longer active: nobody can sign in through
 * the provider until one of them takes over by saving its settings again.
 */
export async function notifyOfConfigurer(
  tx: Tx,
  emit: Emit<typeof notificationCreated>,
  user: { id: number; firstName: string; lastName: string },
): Promise<void> {
  if (!(await tx.ssoConnection.count({ where: { configuredBy: user.id } }))) return;
  await notify(tx, emit, {
    userIds: await configurers(tx, user.id),
    title: {
      en: 'Single sign-on needs somebody who answers for it',
      de: 'Für Single Sign-on muss jemand einstehen',
    },
    body: {
      en: `${nameOf(user)}, who set it up, is no longer active, so nobody can sign in through the provider. Check its settings and save them again.`,
      de: `${nameOf(user)} hat es eingerichtet und ist nicht mehr aktiv. Deshalb kann sich niemand über den Anbieter anmelden. Prüfen Sie die Einstellungen, und speichern Sie sie erneut.`,
    },
    category: 'security',
    channels: ['in_app', 'email'],
    priority: 'high',
    data: { configuredBy: user.id },
  });
}

/** Active users, except one, whose role allows setting up single sign-on. */
async function configurers(tx: Tx, exceptId: number): Promise<number[]> {
  const roles = await tx.role.findMany({ select: { id: true, permissions: true } });
  const roleIds = roles.filter(({ permissions }) => allows(permissions, 'tenant:manage')).map(({ id }) => id);
  const where = { status: 'active', roleId: { in: roleIds }, id: { not: exceptId } };
  const users = await tx.user.findMany({ where, select: { id: true }, orderBy: { id: 'asc' }, take: recipientsMax });
  return users.map(({ id }) => id);
}
