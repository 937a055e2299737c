import type { notifications } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asNotification, isExpired, recipientOf } from './notification.ts';

export const getNotification: Handler<typeof notifications.getNotification> = async ({ params, caller, tx }) => {
  const row = await tx.notification.findFirst({ where: { id: params.id, userId: recipientOf(caller) } });
  if (!row || isExpired(row)) throw fail('not_found');
  return asNotification(row);
};
