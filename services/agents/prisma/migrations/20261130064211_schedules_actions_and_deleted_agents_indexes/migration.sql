CREATE INDEX CONCURRENTLY IF NOT EXISTS "approval_tenant_id_environment_assignee_requested_at_id_idx" ON "approval"("tenant_id", "environment", "assignee", "requested_at", "id");
