CREATE INDEX CONCURRENTLY IF NOT EXISTS "engagement_tenant_id_environment_merged_from_lead_id_idx" ON "engagement"("tenant_id", "environment", "merged_from_lead_id") WHERE (merged_from_lead_id IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "execution_tenant_id_environment_merged_from_lead_id_idx" ON "execution"("tenant_id", "environment", "merged_from_lead_id") WHERE (merged_from_lead_id IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "form_submission_tenant_id_environment_merged_from_lead_id_idx" ON "form_submission"("tenant_id", "environment", "merged_from_lead_id") WHERE (merged_from_lead_id IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "message_tenant_id_environment_merged_from_lead_id_idx" ON "message"("tenant_id", "environment", "merged_from_lead_id") WHERE (merged_from_lead_id IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "segment_lead_tenant_id_environment_lead_id_idx" ON "segment_lead"("tenant_id", "environment", "lead_id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "segment_lead_tenant_id_environment_merged_from_lead_id_idx" ON "segment_lead"("tenant_id", "environment", "merged_from_lead_id") WHERE (merged_from_lead_id IS NOT NULL);
