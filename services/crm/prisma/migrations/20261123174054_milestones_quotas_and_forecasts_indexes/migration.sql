CREATE INDEX CONCURRENTLY IF NOT EXISTS "opportunity_tenant_id_environment_status_expected_close_at_idx" ON "opportunity"("tenant_id", "environment", "status", "expected_close_at");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "opportunity_tenant_id_environment_status_closed_at_idx" ON "opportunity"("tenant_id", "environment", "status", "closed_at");
