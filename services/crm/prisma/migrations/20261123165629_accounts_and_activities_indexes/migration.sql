CREATE INDEX CONCURRENTLY IF NOT EXISTS "lead_tenant_id_environment_account_id_created_at_id_idx" ON "lead"("tenant_id", "environment", "account_id", "created_at", "id") WHERE (deleted_at IS NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "opportunity_tenant_id_environment_account_id_created_at_id_idx" ON "opportunity"("tenant_id", "environment", "account_id", "created_at", "id");
-- For lead_without_account.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "lead_without_account" ON "lead"("tenant_id", "environment", (split_part("email_key", '@', 2)), "id") WHERE (account_id IS NULL AND deleted_at IS NULL);
