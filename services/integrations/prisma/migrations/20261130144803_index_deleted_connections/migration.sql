CREATE INDEX CONCURRENTLY IF NOT EXISTS "connection_deleted_at_idx" ON "connection"("deleted_at");
