-- The new indexes exist before those that they replace are dropped.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "lead_tenant_id_environment_status_code_created_at_id_idx" ON "lead"("tenant_id", "environment", "status_code", "created_at", "id") WHERE (deleted_at IS NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "opportunity_tenant_id_environment_pipeline_id_created_at_id_idx" ON "opportunity"("tenant_id", "environment", "pipeline_id", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "status_definition_tenant_id_environment_pipeline_id_sort_or_idx" ON "status_definition"("tenant_id", "environment", "pipeline_id", "sort_order", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "status_definition_tenant_id_environment_entity_type_sort_or_idx" ON "status_definition"("tenant_id", "environment", "entity_type", "sort_order", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "status_definition_code" ON "status_definition"("tenant_id", "environment", "entity_type", "code") WHERE (pipeline_id IS NULL);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "status_definition_stage_code" ON "status_definition"("tenant_id", "environment", "pipeline_id", "code") WHERE (pipeline_id IS NOT NULL);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "status_definition_default_status" ON "status_definition"("tenant_id", "environment", "entity_type") WHERE (is_default AND pipeline_id IS NULL);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "status_definition_default_stage" ON "status_definition"("tenant_id", "environment", "pipeline_id") WHERE (is_default AND pipeline_id IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "opportunity_reason" ON "opportunity"("tenant_id", "environment", "status", (outcome ->> 'reasonCode')) WHERE (outcome IS NOT NULL);
-- For the backfills, which drop it at the end.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "lead_without_status_code" ON "lead"("tenant_id", "environment", "id") WHERE (status_code IS NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "opportunity_without_pipeline" ON "opportunity"("tenant_id", "environment", "id") WHERE (pipeline_id IS NULL);
DROP INDEX CONCURRENTLY IF EXISTS "status_definition_default";
DROP INDEX CONCURRENTLY IF EXISTS "status_definition_tenant_id_environment_entity_type_code_key";
