CREATE INDEX CONCURRENTLY IF NOT EXISTS "engagement_tenant_id_environment_at_idx" ON "engagement"("tenant_id", "environment", "at");
