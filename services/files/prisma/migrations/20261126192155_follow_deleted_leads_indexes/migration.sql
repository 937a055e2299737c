CREATE INDEX CONCURRENTLY IF NOT EXISTS "file_deleted_with_lead" ON "file"("tenant_id", "environment", "deleted_with_lead_id", "id") WHERE (deleted_with_lead_id IS NOT NULL);
