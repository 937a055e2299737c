CREATE INDEX CONCURRENTLY IF NOT EXISTS "measure_of_user" ON "measure"("tenant_id", "environment", "user_id", "name", "day");
-- For the backfill that follows.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "measure_not_totalled" ON "measure"("tenant_id") WHERE NOT "is_totalled";
