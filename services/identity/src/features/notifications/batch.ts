import type { Notification as NotificationRow, Prisma } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { readPreferences } from '../preferences/preference.ts';
import { deliveredState, enterFeeds } from './deliver.ts';
import { lockFeeds } from './feed.ts';
import { purgeTimeOf } from './notification.ts';

/** The text of a notification. */
export interface BatchText {
  title: string;
  body: string;
  actions: readonly object[];
}

/** A notification for several users, with the text for those who have none of their own. */
export interface BatchContent extends BatchText {
  category: string;
  priority: string;
  channels: readonly string[];
  data: Prisma.InputJsonValue;
  groupKey: string | null;
  scheduledFor: Date | null;
  expiresAt: Date | null;
  isSandbox: boolean;
  /** The number of records that each notification stands for; more than one if it replaces several. */
  groupCount?: number;
}

/**
 * Creates a notification for each user, and delivers it unless it is scheduled.
 * @param to.textFor the text for a user, if not all have the same
 */
export async function createBatch(
  tx: Tx,
  content: BatchContent,
  to: { userIds: readonly number[]; createdBy: number | null; textFor?: (userId: number) => BatchText },
): Promise<{ batchId: number; rows: NotificationRow[] }> {
  const { scheduledFor } = content;
  const { userIds, createdBy, textFor = () => content } = to;
  const batch = await tx.notificationBatch.create({ data: { scheduledFor, createdBy } });
  if (!userIds.length) return { batchId: batch.id, rows: [] };
  const forUser = (userId: number) => {
    const { title, body, actions } = textFor(userId);
    const text = { title, body, actions: [...actions] as Prisma.InputJsonValue };
    return { ...content, ...text, channels: [...content.channels], batchId: batch.id, userId };
  };
  if (scheduledFor) {
    const state = { status: 'scheduled', purgeAt: purgeTimeOf('scheduled', scheduledFor) };
    await tx.notification.createMany({ data: userIds.map((userId) => ({ ...forUser(userId), ...state })) });
  } else {
    await lockFeeds(tx, userIds);
    const preferences = await readPreferences(tx, userIds);
    const state = (userId: number) => deliveredState(content, preferences.of(userId), batch.createdAt);
    await tx.notification.createMany({ data: userIds.map((userId) => ({ ...forUser(userId), ...state(userId) })) });
    const created = await tx.notification.findMany({ where: { batchId: batch.id }, select: { id: true } });
    await enterFeeds(
      tx,
      created.map(({ id }) => id),
    );
  }
  return { batchId: batch.id, rows: [] };
}
