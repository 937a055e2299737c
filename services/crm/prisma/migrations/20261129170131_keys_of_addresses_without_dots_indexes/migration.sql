CREATE INDEX CONCURRENTLY IF NOT EXISTS "lead_tenant_id_environment_mailbox_key_id_idx" ON "lead"("tenant_id", "environment", "mailbox_key", "id") WHERE (deleted_at IS NULL);
DROP INDEX CONCURRENTLY IF EXISTS "lead_without_mailbox_key";
