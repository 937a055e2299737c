CREATE INDEX CONCURRENTLY IF NOT EXISTS "certificate_merged_from" ON "certificate"("tenant_id", "environment", "merged_from_lead_id") WHERE (merged_from_lead_id IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "certificate_of_lead" ON "certificate"("tenant_id", "environment", "learner_id") WHERE (learner_type = 'lead'::text);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "enrollment_merged_from" ON "enrollment"("tenant_id", "environment", "merged_from_lead_id") WHERE (merged_from_lead_id IS NOT NULL);
