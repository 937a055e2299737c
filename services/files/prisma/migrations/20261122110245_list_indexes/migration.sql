-- The new indexes are there before the ones that they replace go.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "file_tenant_id_environment_created_at_id_idx_partial" ON "file"("tenant_id", "environment", "created_at", "id") WHERE (deleted_at IS NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "file_tenant_id_environment_filename_id_idx_partial" ON "file"("tenant_id", "environment", "filename", "id") WHERE (deleted_at IS NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "file_tenant_id_environment_size_id_idx_partial" ON "file"("tenant_id", "environment", "size", "id") WHERE (deleted_at IS NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "file_tenant_id_environment_entity_type_created_at_id_idx" ON "file"("tenant_id", "environment", "entity_type", "created_at", "id") WHERE (deleted_at IS NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "file_tenant_id_environment_entity_id_created_at_id_idx" ON "file"("tenant_id", "environment", "entity_id", "created_at", "id") WHERE (deleted_at IS NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "file_tenant_id_environment_content_type_created_at_id_idx" ON "file"("tenant_id", "environment", "content_type", "created_at", "id") WHERE (deleted_at IS NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "file_tenant_id_environment_status_created_at_id_idx" ON "file"("tenant_id", "environment", "status", "created_at", "id") WHERE (deleted_at IS NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "file_tenant_id_environment_uploaded_by_created_at_id_idx" ON "file"("tenant_id", "environment", "uploaded_by", "created_at", "id") WHERE (deleted_at IS NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "file_tenant_id_environment_team_id_created_at_id_idx_partial" ON "file"("tenant_id", "environment", "team_id", "created_at", "id") WHERE (deleted_at IS NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "file_deleted" ON "file"("tenant_id", "environment", "created_at", "id") WHERE (deleted_at IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "file_lookup" ON "file" USING gin (tenant_id, filename gin_trgm_ops);
DROP INDEX CONCURRENTLY IF EXISTS "file_tenant_id_environment_created_at_id_idx";
DROP INDEX CONCURRENTLY IF EXISTS "file_tenant_id_environment_entity_type_entity_id_idx";
DROP INDEX CONCURRENTLY IF EXISTS "file_tenant_id_environment_filename_id_idx";
DROP INDEX CONCURRENTLY IF EXISTS "file_tenant_id_environment_size_id_idx";
DROP INDEX CONCURRENTLY IF EXISTS "file_tenant_id_environment_team_id_created_at_id_idx";
DROP INDEX CONCURRENTLY IF EXISTS "file_tenant_id_environment_uploaded_by_idx";
