CREATE INDEX CONCURRENTLY IF NOT EXISTS "account_merged_into" ON "account"("tenant_id", "environment", "merged_into_id") WHERE (merged_into_id IS NOT NULL);
