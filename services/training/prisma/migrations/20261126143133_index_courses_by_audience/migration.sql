CREATE INDEX CONCURRENTLY IF NOT EXISTS "course_audience" ON "course"("tenant_id", "environment", "audience", "created_at", "id") WHERE (deleted_at IS NULL);
