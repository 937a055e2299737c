CREATE INDEX CONCURRENTLY IF NOT EXISTS "lead_tenant_id_environment_phone_key_id_idx" ON "lead"("tenant_id", "environment", "phone_key", "id") WHERE (deleted_at IS NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "lead_tenant_id_environment_name_sorted_id_idx" ON "lead"("tenant_id", "environment", "name_sorted", "id") WHERE (deleted_at IS NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "lead_tenant_id_environment_name_initial_id_idx" ON "lead"("tenant_id", "environment", "name_initial", "id") WHERE (deleted_at IS NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "lead_tenant_id_environment_name_sound_id_idx" ON "lead"("tenant_id", "environment", "name_sound", "id") WHERE (deleted_at IS NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "lead_tenant_id_environment_name_domain_id_idx" ON "lead"("tenant_id", "environment", "name_domain", "id") WHERE (deleted_at IS NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "lead_tenant_id_environment_external_id_created_at_id_idx" ON "lead"("tenant_id", "environment", "external_id", "created_at", "id") WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "lead_external_key" ON "lead"("tenant_id", "environment", "external_key") WHERE (deleted_at IS NULL);
