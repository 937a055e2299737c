-- The backfill finds its rows by this index, which is dropped after it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "lead_without_mailbox_key" ON "lead"("tenant_id", "environment", "id") WHERE (mailbox_key IS NULL);
