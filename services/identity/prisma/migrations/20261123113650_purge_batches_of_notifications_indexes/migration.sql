CREATE INDEX CONCURRENTLY IF NOT EXISTS "notification_batch_purge_at_idx" ON "notification_batch"("purge_at");
