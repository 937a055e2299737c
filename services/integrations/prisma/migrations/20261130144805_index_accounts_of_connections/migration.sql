CREATE INDEX CONCURRENTLY IF NOT EXISTS "connection_account_id_idx" ON "connection"("account_id");
