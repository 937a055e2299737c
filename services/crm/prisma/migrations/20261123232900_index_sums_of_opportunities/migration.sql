-- Forecast and summary add up thousands of opportunities. With the summed columns in the index they read no rows of the table.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "opportunity_open_sums" ON "opportunity" ("tenant_id", "environment", "status", "expected_close_at")
  INCLUDE ("currency", "probability", "forecast_category", "value_minor", "stage_id", "owner_id", "team_id", "pipeline_id") WHERE "deleted_at" IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS "opportunity_closed_sums" ON "opportunity" ("tenant_id", "environment", "status", "closed_at")
  INCLUDE ("currency", "probability", "forecast_category", "value_minor", "stage_id", "owner_id", "team_id", "pipeline_id") WHERE "deleted_at" IS NULL;
