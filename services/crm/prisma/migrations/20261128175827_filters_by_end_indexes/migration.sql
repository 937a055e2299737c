CREATE INDEX CONCURRENTLY IF NOT EXISTS "lead_converted_at" ON "lead"("tenant_id", "environment", "converted_at", "id") WHERE (deleted_at IS NULL AND converted_at IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "opportunity_closed_at" ON "opportunity"("tenant_id", "environment", "closed_at", "id") WHERE (deleted_at IS NULL AND closed_at IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "task_completed_at" ON "task"("tenant_id", "environment", "completed_at", "id") WHERE (deleted_at IS NULL AND completed_at IS NOT NULL);
