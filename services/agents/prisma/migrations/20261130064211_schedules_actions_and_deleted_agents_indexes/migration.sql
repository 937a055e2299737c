CREATE INDEX CONCURRENTLY IF NOT EXISTS "approval_tenant_id_environment_assigned_to_requested_at_id_idx" ON "approval"("tenant_id", "environment", "assigned_to", "requested_at", "id");
