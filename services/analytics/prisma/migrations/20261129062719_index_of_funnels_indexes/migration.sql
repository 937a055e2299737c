-- An index of a table with partitions cannot be built concurrently. The partition with the events of all earlier months gets its own
-- first, which the next migration attaches.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "engagement_event_first_of_funnels" ON "partitions"."engagement_event_first" ("tenant_id", "environment", "type", "timestamp", "lead_id", "automated");
