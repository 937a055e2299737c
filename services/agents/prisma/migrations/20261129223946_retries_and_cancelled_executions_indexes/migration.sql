CREATE INDEX CONCURRENTLY IF NOT EXISTS "execution_tenant_id_environment_trigger_created_at_id_idx" ON "execution"("tenant_id", "environment", "trigger", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "execution_tenant_id_environment_retry_of_idx" ON "execution"("tenant_id", "environment", "retry_of");
