CREATE INDEX CONCURRENTLY IF NOT EXISTS "forecast_submission_tenant_id_environment_category_created__idx" ON "forecast_submission"("tenant_id", "environment", "category", "created_at", "id");
