-- The primary key of the partitioned table contains the column by which it is partitioned.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "engagement_event_id_timestamp" ON "engagement_event" ("tenant_id", "environment", "id", "timestamp");
