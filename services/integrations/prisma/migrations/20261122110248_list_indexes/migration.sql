-- The new indexes are there before the ones that they replace go.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "delivery_tenant_id_environment_webhook_id_event_created_at__idx" ON "delivery"("tenant_id", "environment", "webhook_id", "event", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "event_tenant_id_environment_type_created_at_id_idx" ON "event"("tenant_id", "environment", "type", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "webhook_tenant_id_environment_updated_at_id_idx" ON "webhook"("tenant_id", "environment", "updated_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "webhook_tenant_id_environment_created_by_created_at_id_idx" ON "webhook"("tenant_id", "environment", "created_by", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "delivery_by_status" ON "delivery"("tenant_id", "environment", "webhook_id", "status", "created_at", "id");
DROP INDEX CONCURRENTLY IF EXISTS "delivery_tenant_id_environment_webhook_id_status_created_at_idx";
