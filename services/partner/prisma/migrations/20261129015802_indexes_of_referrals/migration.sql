CREATE INDEX CONCURRENTLY IF NOT EXISTS "referral_tenant_id_environment_occurred_at_id_idx" ON "referral"("tenant_id", "environment", "occurred_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "referral_tenant_id_environment_created_at_id_idx" ON "referral"("tenant_id", "environment", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "referral_tenant_id_environment_status_occurred_at_id_idx" ON "referral"("tenant_id", "environment", "status", "occurred_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "referral_tenant_id_environment_source_occurred_at_id_idx" ON "referral"("tenant_id", "environment", "source", "occurred_at", "id");
