import type { notifications } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { appendToFeeds, lockFeeds } from './feed.ts';
import { purgeTimeOf, recipientOf, unreadOf } from './notification.ts';

// Bounds the time for which the transaction locks the feed.
const atOnceMax = 10_000;

export const readAllNotifications =
  ({ feeds }: Pick<Tools, 'feeds'>): Handler<typeof notifications.readAllNotifications> =>
  async ({ afterCommit, body: { category, before }, caller, tx }) => {
    const userId = recipientOf(caller);
    await lockFeeds(tx, [userId]);
    const now = new Date();
    const read = await tx.sql<{ id: number }>`
    UPDATE notification SET status = 'read', read_at = ${now}, purge_at = ${purgeTimeOf('read', now)},
      version = version + 1, updated_at = ${now}
    WHERE id IN (
      SELECT id FROM notification WHERE user_id = ${userId} AND status = 'delivered'
        AND (expires_at IS NULL OR expires_at > ${now})
        AND (${category ?? null}::text IS NULL OR category = ${category ?? null})
        AND (${before ?? null}::timestamptz IS NULL OR delivered_at <= ${before ?? null})
      ORDER BY created_at, id LIMIT ${atOnceMax})
    RETURNING id`;
    await appendToFeeds(
      tx,
      read.map(({ id }) => id),
    );
    afterCommit(() => feeds.changed(caller.tenantId as number, [userId]));
    return { updated: read.length, unread: await tx.notification.count({ where: unreadOf(userId) }) };
  };
