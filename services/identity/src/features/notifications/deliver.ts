import type { NotificationChannel } from '@tandem/identity-contract';
import type { z } from 'zod';
import type { Notification as NotificationRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { type Preference, readPreferences, wantsChannel } from '../preferences/preference.ts';
import { quietUntil } from '../preferences/quiet-hours.ts';
import { appendToFeeds, lockFeeds } from './feed.ts';
import { purgeTimeOf } from './notification.ts';

type Channel = z.output<typeof NotificationChannel>;

/** The fields of a notification that decide how preferences apply to it. */
interface Sent {
  category: string;
  priority: string;
  channels: readonly string[];
  isSandbox: boolean;
}

const channels: readonly Channel[] = ['in_app', 'email'];

/**
 * The state of a notification that is delivered now, by the preferences of its recipient. One that is not meant for the
 * inbox is archived at once, so that it is neither counted nor shown as unread.
 */
export function deliveredState(sent: Sent, preference: Preference, now: Date) {
  const used = channels.filter(
    (channel) => wantsChannel(preference, sent.category, channel) ?? sent.channels.includes(channel),
  );
  const quietEnd = sent.priority === 'high' ? undefined : quietUntil(preference.quietHours, now);
  const status = used.includes('in_app') ? 'delivered' : 'archived';
  return {
    status,
    deliveredAt: now,
    channels: [...used],
    isSilent: quietEnd !== undefined,
    purgeAt: purgeTimeOf(status, now),
    ...(used.includes('email') && {
      // Sandbox sends nothing outside.
      emailStatus: sent.isSandbox ? 'suppressed' : 'pending',
      mailAt: quietEnd ?? now,
    }),
  };
}

/**
 * Delivers the scheduled notifications of a batch, or one that was snoozed. Returns those that were delivered.
 * @param where.isNew whether they were never delivered before
 */
export async function deliverScheduled(
  tx: Tx,
  { isNew, ...which }: { batchId: number; id?: number; isNew: boolean },
): Promise<NotificationRow[]> {
  const where = { ...which, status: 'scheduled', ...(isNew ? { deliveredAt: null } : { deliveredAt: { not: null } }) };
  const found = await tx.notification.findMany({ where, select: { userId: true } });
  if (!found.length) return [];
  const userIds = found.map(({ userId }) => userId);
  await lockFeeds(tx, userIds);
  const now = new Date();
  // Read again: one may have been cancelled before the lock.
  const rows = await tx.notification.findMany({ where, orderBy: { id: 'asc' } });
  if (isNew) {
    const preferences = await readPreferences(tx, userIds);
    const states = Map.groupBy(rows, (row) => JSON.stringify(deliveredState(row, preferences.of(row.userId), now)));
    for (const [, [first, ...others]] of states) {
      const [row, ids] = [first as NotificationRow, [first as NotificationRow, ...others].map(({ id }) => id)];
      await update(tx, ids, deliveredState(row, preferences.of(row.userId), now));
    }
  } else {
    const ids = rows.map(({ id }) => id);
    await update(tx, ids, {
      status: 'delivered',
      deliveredAt: now,
      readAt: null,
      purgeAt: purgeTimeOf('delivered', now),
    });
  }
  await enterFeeds(
    tx,
    rows.map(({ id }) => id),
  );
  return rows;
}

function update(tx: Tx, ids: number[], data: object) {
  return tx.notification.updateMany({
    where: { id: { in: ids } },
    data: { ...data, version: { increment: 1 }, updatedAt: new Date() },
  });
}

/**
 * Puts delivered notifications into the feeds of their users, whose locks the caller holds. A notification with a
 * groupKey takes the place of the user's unread ones with the same key and category, which are archived.
 */
export async function enterFeeds(tx: Tx, ids: number[]): Promise<void> {
  const replaced = await tx.sql<{ id: number }>`
    WITH newer AS (
      SELECT id, user_id, category, group_key FROM notification
      WHERE id = ANY(${ids}::bigint[]) AND group_key IS NOT NULL AND status = 'delivered'),
    older AS (
      UPDATE notification AS old SET status = 'archived', purge_at = ${purgeTimeOf('archived', new Date())},
        version = old.version + 1, updated_at = now()
      FROM newer
      WHERE old.user_id = newer.user_id AND old.group_key = newer.group_key AND old.category = newer.category
        AND old.status = 'delivered' AND old.id <> ALL(${ids}::bigint[])
        AND (old.expires_at IS NULL OR old.expires_at > now())
      RETURNING old.id, old.group_count, newer.id AS newer_id),
    counted AS (
      UPDATE notification AS newest SET group_count = newest.group_count + sums.replaced
      FROM (SELECT newer_id, sum(group_count)::int AS replaced FROM older GROUP BY newer_id) AS sums
      WHERE newest.id = sums.newer_id)
    SELECT id FROM older`;
  await appendToFeeds(tx, [...replaced.map(({ id }) => id), ...ids]);
}
