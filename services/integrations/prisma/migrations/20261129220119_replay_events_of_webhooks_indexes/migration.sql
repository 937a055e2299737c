-- The unique index is there before the one that it replaces goes.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "delivery_tenant_id_environment_event_id_webhook_id_key" ON "delivery"("tenant_id", "environment", "event_id", "webhook_id");
DROP INDEX CONCURRENTLY IF EXISTS "delivery_tenant_id_environment_event_id_idx";
