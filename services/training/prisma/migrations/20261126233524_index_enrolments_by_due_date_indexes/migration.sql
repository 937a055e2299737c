CREATE INDEX CONCURRENTLY IF NOT EXISTS "enrollment_due_at" ON "enrollment"("tenant_id", "environment", "due_at", "id");
