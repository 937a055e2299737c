CREATE INDEX CONCURRENTLY IF NOT EXISTS "account_deleted_domain" ON "account"("tenant_id", "environment", "domain", "id") WHERE (deleted_at IS NOT NULL AND merged_into_id IS NULL);
