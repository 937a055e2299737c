CREATE INDEX CONCURRENTLY IF NOT EXISTS "deal_tenant_id_environment_partner_id_won_at_idx" ON "deal"("tenant_id", "environment", "partner_id", "won_at");
