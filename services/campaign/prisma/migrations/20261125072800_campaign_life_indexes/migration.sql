CREATE INDEX CONCURRENTLY IF NOT EXISTS "campaign_tenant_id_environment_topic_id_idx" ON "campaign"("tenant_id", "environment", "topic_id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "execution_tenant_id_environment_campaign_id_started_at_id_idx" ON "execution"("tenant_id", "environment", "campaign_id", "started_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "execution_tenant_id_environment_campaign_id_status_started__idx" ON "execution"("tenant_id", "environment", "campaign_id", "status", "started_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "execution_tenant_id_environment_campaign_id_lead_id_started_idx" ON "execution"("tenant_id", "environment", "campaign_id", "lead_id", "started_at", "id");
