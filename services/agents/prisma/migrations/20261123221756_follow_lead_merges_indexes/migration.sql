CREATE INDEX CONCURRENTLY IF NOT EXISTS "approval_tenant_id_environment_lead_id_idx" ON "approval"("tenant_id", "environment", "lead_id");

-- The moved rows, of which there are few.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "execution_merged_from" ON "execution" ("tenant_id", "environment", "merged_from_lead_id")
  WHERE "merged_from_lead_id" IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS "recommendation_merged_from" ON "recommendation" ("tenant_id", "environment", "merged_from_lead_id")
  WHERE "merged_from_lead_id" IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS "approval_merged_from" ON "approval" ("tenant_id", "environment", "merged_from_lead_id")
  WHERE "merged_from_lead_id" IS NOT NULL;
