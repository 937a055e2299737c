CREATE INDEX CONCURRENTLY IF NOT EXISTS "session_tenant_id_user_id_created_at_id_idx" ON "session"("tenant_id", "user_id", "created_at", "id");
