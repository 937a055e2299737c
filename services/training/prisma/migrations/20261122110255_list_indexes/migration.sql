-- The new indexes are there before the ones that they replace go.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "course_tenant_id_environment_status_created_at_id_idx" ON "course"("tenant_id", "environment", "status", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "course_tenant_id_environment_category_created_at_id_idx" ON "course"("tenant_id", "environment", "category", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "enrollment_tenant_id_environment_status_created_at_id_idx" ON "enrollment"("tenant_id", "environment", "status", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "enrollment_tenant_id_environment_course_id_created_at_id_idx" ON "enrollment"("tenant_id", "environment", "course_id", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "enrollment_tenant_id_environment_learner_id_created_at_id_idx" ON "enrollment"("tenant_id", "environment", "learner_id", "created_at", "id");
DROP INDEX CONCURRENTLY IF EXISTS "enrollment_tenant_id_environment_learner_id_idx";
