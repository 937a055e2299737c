-- The new indexes are there before the ones that they replace go.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "api_key_tenant_id_updated_at_id_idx" ON "api_key"("tenant_id", "updated_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "api_key_tenant_id_name_id_idx" ON "api_key"("tenant_id", "name", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "api_key_tenant_id_key_environment_created_at_id_idx" ON "api_key"("tenant_id", "key_environment", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "api_key_tenant_id_created_by_created_at_id_idx" ON "api_key"("tenant_id", "created_by", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "audit_log_tenant_id_actor_id_occurred_at_id_idx" ON "audit_log"("tenant_id", "actor_id", "occurred_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "audit_log_tenant_id_key_id_occurred_at_id_idx" ON "audit_log"("tenant_id", "key_id", "occurred_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "audit_log_tenant_id_action_occurred_at_id_idx" ON "audit_log"("tenant_id", "action", "occurred_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "audit_log_on_behalf_of" ON "audit_log"("tenant_id", "on_behalf_of_id", "occurred_at", "id") WHERE (on_behalf_of_id IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "audit_log_sandbox" ON "audit_log"("tenant_id", "record_environment", "occurred_at", "id") WHERE (record_environment <> 'live');
CREATE INDEX CONCURRENTLY IF NOT EXISTS "notification_tenant_id_user_id_status_created_at_id_idx" ON "notification"("tenant_id", "user_id", "status", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "notification_tenant_id_user_id_category_created_at_id_idx" ON "notification"("tenant_id", "user_id", "category", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "role_tenant_id_updated_at_id_idx" ON "role"("tenant_id", "updated_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "team_tenant_id_updated_at_id_idx" ON "team"("tenant_id", "updated_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "team_tenant_id_created_by_created_at_id_idx" ON "team"("tenant_id", "created_by", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "user_tenant_id_updated_at_id_idx" ON "user"("tenant_id", "updated_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "user_tenant_id_last_name_id_idx" ON "user"("tenant_id", "last_name", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "user_tenant_id_status_created_at_id_idx" ON "user"("tenant_id", "status", "created_at", "id");
DROP INDEX CONCURRENTLY IF EXISTS "audit_log_tenant_id_actor_id_idx";
