import type { Purge } from '@tandem/service';

/** Each notification has its own time of removal, by its status: see `purgeTimeOf`. */
export const notificationRetention: Purge = { table: 'notification', column: 'purge_at', days: 0 };

/**
 * Deletes batches whose notifications are all deleted. How long these live depends on their recipients, so housekeeping
 * looks at each batch once in 30 days, and the work of a run is bounded. A batch gets its notifications in the transaction
 * that creates it, and never any later.
 */
export const batchRetention: Purge = {
  table: 'notification_batch',
  days: 0,
  statement: `
    WITH due AS MATERIALIZED (
      SELECT batch.tenant_id, batch.id, EXISTS (
        SELECT FROM notification WHERE notification.tenant_id = batch.tenant_id AND notification.batch_id = batch.id
      ) AS is_used
      FROM notification_batch AS batch
      WHERE batch.purge_at < now() - make_interval(days => $1) ORDER BY batch.purge_at LIMIT $2),
    removed AS (
      DELETE FROM notification_batch AS batch USING due
      WHERE batch.tenant_id = due.tenant_id AND batch.id = due.id AND NOT due.is_used),
    kept AS (
      UPDATE notification_batch AS batch SET purge_at = now() + interval '30 days' FROM due
      WHERE batch.tenant_id = due.tenant_id AND batch.id = due.id AND due.is_used)
    SELECT FROM due`,
};
