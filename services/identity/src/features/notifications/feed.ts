import type { Tx } from '../../handler.ts';

/**
 * Locks the feeds of users until the end of the transaction, in id order. Every change of a notification locks the feed
 * first, so that a user's changes become visible in the order of their positions, and a stream that continues after a
 * position misses none.
 */
export async function lockFeeds(tx: Tx, userIds: readonly number[]): Promise<void> {
  await tx.sql`
    INSERT INTO notification_feed (user_id) SELECT id FROM unnest(${userIds}::bigint[]) AS id ORDER BY id
    ON CONFLICT (tenant_id, user_id) DO UPDATE SET position = notification_feed.position`;
}

/** Gives changed notifications the next positions in the feeds of their users, whose locks the caller holds. */
export async function appendToFeeds(tx: Tx, ids: readonly number[]): Promise<void> {
  if (!ids.length) return;
  await tx.sql`
    WITH changed AS (
      SELECT id, user_id, row_number() OVER (PARTITION BY user_id ORDER BY id) AS place
      FROM notification WHERE id = ANY(${ids}::bigint[])),
    moved AS (
      UPDATE notification_feed AS feed SET position = feed.position + counted.changes
      FROM (SELECT user_id, count(*) AS changes FROM changed GROUP BY user_id) AS counted
      WHERE feed.user_id = counted.user_id
      RETURNING feed.user_id, feed.position - counted.changes AS before)
    UPDATE notification SET position = moved.before + changed.place
    FROM changed JOIN moved ON moved.user_id = changed.user_id WHERE notification.id = changed.id`;
}
