CREATE INDEX CONCURRENTLY IF NOT EXISTS "team_tenant_id_parent_team_id_created_at_id_idx" ON "team"("tenant_id", "parent_team_id", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "team_tenant_id_lead_id_created_at_id_idx" ON "team"("tenant_id", "lead_id", "created_at", "id");
