CREATE INDEX CONCURRENTLY IF NOT EXISTS "user_tenant_id_manager_id_created_at_id_idx" ON "user"("tenant_id", "manager_id", "created_at", "id");
