CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "commission_tenant_id_environment_opportunity_id_version_key" ON "commission"("tenant_id", "environment", "opportunity_id", "partner_id", "level", "type", "deal_version");
DROP INDEX CONCURRENTLY IF EXISTS "commission_tenant_id_environment_opportunity_id_partner_id__key";
