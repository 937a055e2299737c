DROP INDEX CONCURRENTLY IF EXISTS "enrollment_due";
DROP INDEX CONCURRENTLY IF EXISTS "enrollment_live";
CREATE INDEX CONCURRENTLY IF NOT EXISTS "attempt_tenant_id_environment_course_id_created_at_id_idx" ON "attempt"("tenant_id", "environment", "course_id", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "attempt_tenant_id_environment_enrollment_id_created_at_id_idx" ON "attempt"("tenant_id", "environment", "enrollment_id", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "enrollment_due" ON "enrollment"("tenant_id", "environment", "due_at", "id") WHERE (status IN ('enrolled', 'in_progress') AND due_at IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "enrollment_course_due" ON "enrollment"("tenant_id", "environment", "course_id", "due_at") WHERE (status IN ('enrolled', 'in_progress') AND due_at IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "enrollment_course_live" ON "enrollment"("tenant_id", "environment", "course_id", "id") WHERE (status IN ('enrolled', 'in_progress'));
CREATE INDEX CONCURRENTLY IF NOT EXISTS "enrollment_learner_type" ON "enrollment"("tenant_id", "environment", "learner_type", "created_at", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "enrollment_live" ON "enrollment"("tenant_id", "environment", "course_id", "learner_type", "learner_id") WHERE (status IN ('enrolled', 'in_progress'));
