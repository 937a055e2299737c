DROP INDEX CONCURRENTLY IF EXISTS "lead_without_status_code";
DROP INDEX CONCURRENTLY IF EXISTS "opportunity_without_pipeline";
