CREATE INDEX CONCURRENTLY IF NOT EXISTS "engagement_event_tenant_id_environment_type_timestamp_id_idx" ON "engagement_event"("tenant_id", "environment", "type", "timestamp", "id");
