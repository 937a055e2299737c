CREATE INDEX CONCURRENTLY IF NOT EXISTS "api_key_tenant_id_owner_id_created_at_id_idx" ON "api_key"("tenant_id", "owner_id", "created_at", "id");
