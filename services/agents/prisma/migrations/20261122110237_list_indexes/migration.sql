CREATE INDEX CONCURRENTLY IF NOT EXISTS "agent_tenant_id_environment_name_id_idx" ON "agent"("tenant_id", "environment", "name", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "approval_tenant_id_environment_agent_id_requested_at_id_idx" ON "approval"("tenant_id", "environment", "agent_id", "requested_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "execution_tenant_id_environment_status_created_at_id_idx" ON "execution"("tenant_id", "environment", "status", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "recommendation_tenant_id_environment_confidence_id_idx" ON "recommendation"("tenant_id", "environment", "confidence", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "recommendation_tenant_id_environment_status_created_at_id_idx" ON "recommendation"("tenant_id", "environment", "status", "created_at", "id");
