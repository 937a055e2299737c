CREATE INDEX CONCURRENTLY IF NOT EXISTS "workflow_tenant_id_environment_trigger_type_created_at_id_idx" ON "workflow"("tenant_id", "environment", "trigger_type", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "workflow_tenant_id_environment_published_trigger_id_idx" ON "workflow"("tenant_id", "environment", "published_trigger", "id") WHERE (status = 'published');
