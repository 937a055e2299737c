DROP INDEX IF EXISTS "enrollment_tenant_id_environment_learner_id_idx";
CREATE INDEX IF NOT EXISTS "course_tenant_id_environment_status_created_at_id_idx" ON "course"("tenant_id", "environment", "status", "created_at", "id");
CREATE INDEX IF NOT EXISTS "course_tenant_id_environment_category_created_at_id_idx" ON "course"("tenant_id", "environment", "category", "created_at", "id");
CREATE INDEX IF NOT EXISTS "enrollment_tenant_id_environment_status_created_at_id_idx" ON "enrollment"("tenant_id", "environment", "status", "created_at", "id");
CREATE INDEX IF NOT EXISTS "enrollment_tenant_id_environment_course_id_created_at_id_idx" ON "enrollment"("tenant_id", "environment", "course_id", "created_at", "id");
CREATE INDEX IF NOT EXISTS "enrollment_tenant_id_environment_learner_id_created_at_id_idx" ON "enrollment"("tenant_id", "environment", "learner_id", "created_at", "id");
