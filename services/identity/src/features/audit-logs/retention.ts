import type { Purge } from '@tandem/service';

/**
 * Deletes entries from the start of each tenant's chain without gaps; the last deleted entry becomes the anchor of the
 * remaining chain. Entries are in order of arrival, so an old entry behind a younger one is kept until the younger
 * expires.
 */
export const auditRetention: Purge = {
  table: 'audit_log',
  days: 365,
  statement: `
    WITH oldest AS MATERIALIZED (
      SELECT head.tenant_id, entry.position FROM audit_head AS head CROSS JOIN LATERAL (
        SELECT position, position - row_number() OVER (ORDER BY position) AS before FROM audit_log
        WHERE audit_log.tenant_id = head.tenant_id AND position > head.purged AND position <= head.purged + $2
          AND occurred_at < now() - make_interval(days => $1)) AS entry
      WHERE entry.before = head.purged LIMIT $2),
    gone AS (
      DELETE FROM audit_log AS entry USING oldest
      WHERE entry.tenant_id = oldest.tenant_id AND entry.position = oldest.position
      RETURNING entry.tenant_id, entry.position, entry.hash),
    anchors AS (SELECT DISTINCT ON (tenant_id) tenant_id, position, hash FROM gone ORDER BY tenant_id, position DESC),
    moved AS (
      UPDATE audit_head AS head SET purged = anchors.position, purged_hash = anchors.hash
      FROM anchors WHERE head.tenant_id = anchors.tenant_id)
    SELECT FROM gone`,
};
