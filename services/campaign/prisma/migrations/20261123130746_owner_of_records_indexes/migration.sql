CREATE INDEX CONCURRENTLY IF NOT EXISTS "campaign_tenant_id_environment_owner_id_created_at_id_idx" ON "campaign"("tenant_id", "environment", "owner_id", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "landing_page_tenant_id_environment_owner_id_created_at_id_idx" ON "landing_page"("tenant_id", "environment", "owner_id", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "workflow_tenant_id_environment_owner_id_created_at_id_idx" ON "workflow"("tenant_id", "environment", "owner_id", "created_at", "id");
