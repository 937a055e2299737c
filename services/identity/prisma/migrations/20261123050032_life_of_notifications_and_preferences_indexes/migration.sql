CREATE INDEX CONCURRENTLY IF NOT EXISTS "notification_tenant_id_user_id_group_key_idx" ON "notification"("tenant_id", "user_id", "group_key");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "notification_tenant_id_user_id_position_idx" ON "notification"("tenant_id", "user_id", "position");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "notification_purge_at_idx" ON "notification"("purge_at");
