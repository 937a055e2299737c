CREATE INDEX CONCURRENTLY IF NOT EXISTS "trigger_member_tenant_id_environment_lead_id_idx" ON "trigger_member"("tenant_id", "environment", "lead_id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "trigger_member_tenant_id_environment_merged_from_lead_id_idx" ON "trigger_member"("tenant_id", "environment", "merged_from_lead_id") WHERE (merged_from_lead_id IS NOT NULL);
