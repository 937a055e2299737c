DROP INDEX CONCURRENTLY IF EXISTS "opportunity_custom_fields";
CREATE INDEX CONCURRENTLY IF NOT EXISTS "forecast_submission_tenant_id_environment_category_created__idx" ON "forecast_submission"("tenant_id", "environment", "category", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "opportunity_custom_fields" ON "opportunity" USING GIN ("tenant_id" int8_ops, "custom_fields" jsonb_path_ops);
