CREATE INDEX CONCURRENTLY IF NOT EXISTS "co_marketing_resource_tenant_id_environment_source_type_cre_idx" ON "co_marketing_resource"("tenant_id", "environment", "source_type", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "co_marketing_resource_tenant_id_environment_status_created__idx" ON "co_marketing_resource"("tenant_id", "environment", "status", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "commission_tenant_id_environment_partner_id_status_created__idx" ON "commission"("tenant_id", "environment", "partner_id", "status", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "commission_tenant_id_environment_partner_id_type_created_at_idx" ON "commission"("tenant_id", "environment", "partner_id", "type", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "partner_tenant_id_environment_status_created_at_id_idx" ON "partner"("tenant_id", "environment", "status", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "partner_tenant_id_environment_tier_created_at_id_idx" ON "partner"("tenant_id", "environment", "tier", "created_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "partner_tenant_id_environment_approved_at_id_idx" ON "partner"("tenant_id", "environment", "approved_at", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "portal_user_tenant_id_environment_partner_id_email_id_idx" ON "portal_user"("tenant_id", "environment", "partner_id", "email", "id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "partner_lookup" ON "partner" USING gin (tenant_id, (email || ' ' || first_name || ' ' || last_name || ' ' || coalesce(company, '')) gin_trgm_ops);
