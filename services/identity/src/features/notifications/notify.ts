import type { Emit } from '@tandem/events';
import { notificationCreated } from '@tandem/identity-contract';
import type { Tx } from '../../handler.ts';

interface Notice {
  userIds: readonly number[];
  title: string;
  body: string;
  category: string;
  data: object;
}

/** Delivers an in-app notification from the platform immediately. */
export async function notify(tx: Tx, emit: Emit<typeof notificationCreated>, notice: Notice): Promise<void> {
  const { userIds, title, body, category, data } = notice;
  if (!userIds.length) return;
  const { id: batchId, createdAt } = await tx.notificationBatch.create({ data: { createdBy: null } });
  const state = { status: 'delivered', deliveredAt: createdAt, priority: 'high', channels: ['in_app'] };
  await tx.notification.createMany({
    data: userIds.map((userId) => ({ ...state, batchId, userId, title, body, category, data })),
  });
  emit(notificationCreated, {
    data: { batchId, userIds: [...userIds], title },
    record: { id: batchId, recipients: userIds.length, category, scheduledFor: null },
  });
}
